"use strict";
// The fuzzy sets that the policies look at, and the episode's inputs on them.
const Sets = (() => {
  const LEAST = 260; // pixels that fuzzy sets are drawn over
  let panels = [],
    drawnOver = 0;

  function draw() {
    const box = byId("set-list"),
      width = Math.max(LEAST, box.clientWidth),
      list = both(),
      used = [...new Set(list.flatMap((slot) => slot.model.used))].sort((x, y) => x - y);
    panels = used.map((f) => {
      const mine = list.filter((slot) => slot.model.features[f].refs.length > 1),
        models = mine.map((slot) => slot.model);
      const drawn = Pictures.sets(models, f, width, data.colours, slots.b ? "Of A, and dashed of B." : "");
      return {
        f,
        mine,
        drawn,
        box: el(
          "figure",
          {},
          el(
            "figcaption",
            {},
            models[0].features[f].name,
            models[0].features[f].terms.length ? el("small", {}, ` = ${Fuzzy.formula(models[0].features[f])}`) : null,
            slots.b && mine.length === 2
              ? el("small", {}, " A full, B dashed")
              : mine[0].letter === "B"
                ? el("small", {}, " only B looks at it")
                : null,
          ),
          drawn.root,
        ),
      };
    });
    const all = slots.a.model.features,
      through = new Set(used.flatMap((f) => all[f].terms.map(([name]) => name)));
    const unused = all
      .filter((feature, f) => !used.includes(f) && !through.has(feature.name))
      .map((feature) => feature.name);
    box.replaceChildren(
      ...panels.map((panel) => panel.box),
      unused.length ? el("p", { class: "told" }, `Not looked at: ${unused.join(", ")}.`) : "",
    );
    drawnOver = width;
  }

  // To another width of the page.
  function fit(width) {
    if (Math.abs(Math.max(LEAST, width) - drawnOver) <= 1) return;
    draw();
    Episode.frame();
  }

  function follow(t) {
    for (const { f, mine, drawn } of panels) {
      mine.forEach((slot, m) => {
        const episode = episodeOf(slot);
        if (!episode) return drawn.follow(m, null);
        const input = episode.inputs[Math.min(t, episode.steps)];
        drawn.follow(m, input[f], Fuzzy.truths(slot.model.features[f], input[f]));
      });
    }
  }

  return { draw, fit, follow };
})();
