"use strict";
// Elements without markup: text from a run is only ever put into text nodes and attributes.
const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const el = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

// Numbers as a person reads them, with the minus sign that belongs to them.
const MINUS = "\u2212";
const signed = (text) => text.replace("-", MINUS);
const fixed = (x, digits = 2) => (Number.isFinite(x) ? signed(x.toFixed(digits)) : "?");
const short = (x) => (Number.isFinite(x) ? signed(String(Number(x.toPrecision(3)))) : "?");
const counted = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

// A row of names and values.
const pair = (name, ...values) =>
  el(
    "tr",
    {},
    el("th", { scope: "row" }, name),
    values.map((value) => el("td", {}, value)),
  );

async function copy(text, button) {
  const before = button.textContent;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages opened from a disk may not be trusted with the clipboard; the old way asks nobody.
    const area = el("textarea", { class: "offscreen" }, text);
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  button.textContent = done ? "Copied" : "Not allowed here";
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}

// The page's colours, from its style sheet.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function rgb(hex) {
  const full = hex.length === 4 ? [...hex.slice(1)].map((c) => c + c).join("") : hex.slice(1, 7);
  return [0, 2, 4].map((i) => parseInt(full.slice(i, i + 2), 16));
}

// `share` of one colour over another.
const mixed = (one, other, share) => one.map((part, i) => Math.round(share * part + (1 - share) * other[i]));

const hex = (parts) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

// The relative luminance of a colour, from 0 to 1, as the accessibility guidelines count it.
function light(text) {
  const [r, g, b] = rgb(text).map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
