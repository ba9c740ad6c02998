"use strict";
// The page as a whole: its theme, its paper, its keys and buttons, and how it begins.
const THEMES = { "": "as the system", light: "light", dark: "dark" };
const root = document.documentElement;

function theme(name) {
  if (name) root.dataset.theme = name;
  else delete root.dataset.theme;
  byId("theme").textContent = `Theme: ${THEMES[name]}`;
  redraw();
}

function listen() {
  byId("theme").addEventListener("click", () =>
    theme({ undefined: "light", light: "dark", dark: "" }[root.dataset.theme]),
  );
  byId("print").addEventListener("click", () => window.print());
  byId("shown").addEventListener("change", (event) => {
    state.shown = event.currentTarget.value;
    regather();
    draw();
  });
  byId("compare").addEventListener("change", (event) => choose("b", event.currentTarget.checked ? neighbour() : null));
  for (const letter of ["a", "b"])
    byId(`slider-${letter}`).addEventListener("input", (event) =>
      choose(letter, groups[Number(event.currentTarget.value)].ids[0]),
    );
  byId("near").addEventListener("click", () => {
    state.near = !state.near;
    byId("near").setAttribute("aria-pressed", state.near);
    Front.draw();
  });
  byId("previous").addEventListener("click", () => move("a", -1));
  byId("next").addEventListener("click", () => move("a", 1));
  byId("play").addEventListener("click", () => Episode.play(!state.playing));
  byId("step").addEventListener("input", (event) => {
    Episode.play(false);
    Episode.seek(Number(event.currentTarget.value));
  });
  byId("speed").addEventListener("change", (event) => {
    state.speed = Number(event.currentTarget.value);
  });
  byId("start").addEventListener("change", (event) => {
    Episode.play(false);
    state.episode = Number(event.currentTarget.value);
    draw();
  });
  document.addEventListener("keydown", keys);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new ResizeObserver(([entry]) => Sets.fit(entry.contentRect.width)).observe(byId("set-list"));
  // Plotly looks at the window only, but a plot's room also changes when a second one comes beside it.
  const fit = new ResizeObserver((entries) => {
    for (const { target } of entries)
      if (target.clientWidth && target.classList.contains("js-plotly-plot")) Plotly.Plots.resize(target);
  });
  for (const place of document.querySelectorAll(".plot")) fit.observe(place);
  window.addEventListener("beforeprint", () => {
    root.dataset.before = root.dataset.theme ?? "";
    for (const box of document.querySelectorAll("details")) box.open = true;
    printing(true, "light");
  });
  window.addEventListener("afterprint", () => printing(false, root.dataset.before ?? ""));
}

// A sheet of paper is narrow and white.
function printing(on, name) {
  document.body.classList.toggle("printing", on);
  theme(name);
  for (const place of document.querySelectorAll(".js-plotly-plot"))
    if (place.clientWidth) Plotly.relayout(place, { autosize: true });
}

function keys(event) {
  const typing = event.target.closest?.("input, select, textarea, button, summary, a");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const does = {
    j: () => move("a", 1),
    k: () => move("a", -1),
    c: () => choose("b", state.b === null ? neighbour() : null),
    ",": () => {
      Episode.play(false);
      Episode.seek(Math.floor(state.t) - 1);
    },
    ".": () => {
      Episode.play(false);
      Episode.seek(Math.floor(state.t) + 1);
    },
  }[event.key];
  if (does && !event.target.closest?.("select, textarea")) does();
  else if (event.key === " " && !typing) Episode.play(!state.playing);
  else return;
  event.preventDefault();
}

function start() {
  byId("heading").textContent = document.title;
  const found = policies.filter((policy) => policy.archive).length;
  byId("summary").textContent =
    `${counted(data.runs.length, "run")}, ${found.toLocaleString("en")} ${found === 1 ? "policy" : "policies"} that no other beat. A point's height is how well it did, its place how little there is to read.`;
  for (const [letter, id] of new URLSearchParams(location.hash.slice(1))) {
    if (letter in slots && policies[Number(id)]) state[letter] = Number(id);
  }
  if (!policies[state.a].archive) state.shown = byId("shown").value = "front";
  drawRunChoice();
  regather();
  listen();
  draw();
}

start();
