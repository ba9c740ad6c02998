"use strict";
// The map: who drives where over two features, and what is held where there are more.
const ActionMap = (() => {
  // The two features of the map: those chosen, or the first that the policy looks at.
  function axesOf(slot) {
    const order = [...new Set([...slot.model.used, ...slot.model.features.keys()])];
    return state.axes ?? order.slice(0, 2);
  }

  // The values of all features beside the axes: those set, or the medians over the episodes.
  function restOf(slot) {
    return slot.model.features.map((feature, f) => {
      if (f in state.at) return state.at[f];
      const seen = slot.episodes.flatMap((episode) => episode.inputs.map((input) => input[f])).sort((x, y) => x - y);
      return seen.length
        ? (seen[(seen.length - 1) >> 1] + seen[seen.length >> 1]) / 2
        : (feature.low + feature.high) / 2;
    });
  }

  function draw() {
    byId("map-b").parentElement.hidden = !slots.b;
    const axes = axesOf(slots.a),
      list = byId("legend");
    if (axes.length < 2) {
      byId("map-a").parentElement.hidden = true;
      return list.replaceChildren("A map needs two features; this policy has one. Its fuzzy sets tell all.");
    }
    drawAxes(axes);
    for (const slot of both()) {
      slot.episode = state.episode;
      const place = byId(`map-${slot.letter.toLowerCase()}`);
      slot.grid = MapPlot.draw(place, slot.model, axes, restOf(slot), slot.episodes, slot.tints, slot, aloneOf(slot));
      place.setAttribute("aria-label", `Map of ${slot.letter}. ${shares(slot).join(" ")}`);
      if (place.dataset.listens) continue;
      place.dataset.listens = "yes";
      const light = (event) =>
        Rules.probe(slot.letter.toLowerCase(), event?.points.find((point) => point.data.type === "heatmap")?.z ?? null);
      place.on("plotly_hover", light);
      place.on("plotly_unhover", () => light(null));
      place.on("plotly_afterplot", () => Episode.frame());
    }
    const keys = slots.a.model.actions.map((action, a) =>
      el("span", { class: "action", style: `--tint: ${slots.a.tints[a]}` }, action.words),
    );
    const gaps = both().some((slot) => slot.grid.drivers.includes(Fuzzy.NOBODY));
    list.replaceChildren(
      ...keys,
      ...(gaps ? [el("span", { class: "action hatched" }, "no rule fires")] : []),
      slots.b ? el("span", { id: "agreement" }, Versus.agreement()) : "",
    );
    byId("shares").replaceChildren(
      ...both().flatMap((slot) => [
        el("p", {}, title(slot)),
        el(
          "ul",
          {},
          shares(slot).map((line) => el("li", {}, line)),
        ),
      ]),
    );
  }

  // The way of the action alone that is to be seen on the map.
  function aloneOf(slot) {
    const other = data.alone[state.episode]?.find((one) => one.action === state.alone);
    return other
      ? { inputs: Slot.inputs(slot.model, other.episode), words: slot.model.actions[state.alone].words }
      : null;
  }

  function shares(slot) {
    const total = slot.grid.drivers.length,
      part = (driver) => slot.grid.drivers.reduce((count, other) => count + (other === driver), 0) / total;
    const told = (share) => (share > 0 && share < 0.005 ? "less than 1 %" : `${Math.round(100 * share)} %`);
    const lines = slot.model.rules.map(
      (rule, r) => `Rule ${r + 1} drives on ${told(part(r))} of the map: ${slot.model.actions[rule.action].words}.`,
    );
    const gap = part(Fuzzy.NOBODY);
    return gap ? [...lines, `No rule fires on ${told(gap)}.`] : lines;
  }

  // Which features the map is over, and where the others are held.
  function drawAxes(axes) {
    const { model } = slots.a,
      box = byId("axes");
    box.hidden = model.features.length < 3;
    if (box.hidden) return;
    const pick = (place) =>
      el(
        "label",
        {},
        place ? "up " : "across ",
        el(
          "select",
          {
            "data-axis": place,
            onchange: (event) => {
              const chosen = Number(event.currentTarget.value),
                next = [...axes];
              if (next[1 - place] === chosen) next[1 - place] = axes[place];
              next[place] = chosen;
              state.axes = next;
              draw();
              Episode.frame();
            },
          },
          model.features.map((feature, f) =>
            el("option", { value: f, selected: axes[place] === f ? "" : undefined }, feature.name),
          ),
        ),
      );
    const rest = restOf(slots.a),
      holds = model.used
        .filter((f) => !axes.includes(f) && !model.features[f].terms.length)
        .map((f) => {
          const feature = model.features[f],
            told = el("output", {}, short(rest[f]));
          return el(
            "label",
            {},
            `${feature.name} `,
            el("input", {
              type: "range",
              min: feature.low,
              max: feature.high,
              step: feature.crisp ? 1 : (feature.high - feature.low) / 200,
              value: rest[f],
              onchange: () => {
                draw();
                Episode.frame();
              },
              oninput: (event) => {
                state.at[f] = Number(event.currentTarget.value);
                told.textContent = short(state.at[f]);
              },
            }),
            told,
          );
        });
    box.replaceChildren(pick(0), pick(1), ...holds);
  }

  // Where the episode is.
  function follow(slot, t) {
    const axes = axesOf(slot),
      input = episodeOf(slot).inputs[t];
    if (axes.length === 2)
      MapPlot.moveDot(byId(`map-${slot.letter.toLowerCase()}`), slot.tint, input[axes[0]], input[axes[1]]);
  }

  return { draw, follow, axesOf, restOf };
})();
