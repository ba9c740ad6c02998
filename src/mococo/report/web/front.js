"use strict";
// The front: its plot, its sliders, its table, and the way through solutions that are one point of it.
const Front = (() => {
  // Solutions of the same performance and complexity are one point; a click could not tell them apart.
  function gathered() {
    const found = new Map();
    for (const policy of policies) {
      if (!state.runs.has(policy.run) || !(state.shown === "archive" ? policy.archive : policy.front)) continue;
      const key = `${policy.complexity} ${policy.performance}`;
      const group = found.get(key) ?? {
        key,
        complexity: policy.complexity,
        performance: policy.performance,
        fresh: policy.fresh_performance,
        interval: policy.fresh_interval,
        tag: policy.tag,
        ids: [],
        count: 0,
      };
      group.ids.push(policy.id);
      group.count += state.shown === "archive" ? 1 : policy.front;
      found.set(key, group);
    }
    return [...found.values()].sort((a, b) => a.complexity - b.complexity || a.performance - b.performance);
  }

  const groupOf = (id) => groups.findIndex((group) => group.ids.includes(id));
  const toldOf = (group) =>
    `complexity ${group.complexity}, mean return ${fixed(group.performance)}${group.count > 1 ? `, ${group.count} identical` : ""}`;

  function draw() {
    const chosen = [
      ["A", groups[groupOf(state.a)]],
      ["B", groups[groupOf(state.b)]],
    ].filter(([, group]) => group);
    Plots.front(byId("front-plot"), groups, looks, chosen, state.near, (key, other) => {
      const group = groups.find((one) => one.key === key);
      choose(other || byId("compare").dataset.next === "b" ? "b" : "a", group.ids[0]);
    });
    for (const letter of ["a", "b"]) {
      const slider = byId(`slider-${letter}`),
        place = groupOf(state[letter]);
      slider.max = Math.max(0, groups.length - 1);
      slider.disabled = place < 0;
      slider.value = Math.max(0, place);
      slider.setAttribute("aria-valuetext", place < 0 ? "none" : toldOf(groups[place]));
      byId(`told-${letter}`).textContent = place < 0 ? "" : toldOf(groups[place]);
    }
    drawTwins();
    drawTable();
  }

  // Steps through solutions that are one point.
  function drawTwins() {
    const group = groups[groupOf(state.a)],
      line = byId("twins");
    line.hidden = !group || group.ids.length < 2;
    if (line.hidden) return line.replaceChildren();
    const at = group.ids.indexOf(state.a),
      step = (way) => choose("a", group.ids[(at + way + group.ids.length) % group.ids.length]);
    const run = data.runs.length > 1 ? ` (${data.runs[policies[state.a].run].name})` : "";
    line.replaceChildren(
      `A is ${at + 1} of ${group.ids.length} policies at this point${run} `,
      el("button", { type: "button", onclick: () => step(-1), "aria-label": "Previous at this point" }, "‹"),
      el("button", { type: "button", onclick: () => step(1), "aria-label": "Next at this point" }, "›"),
    );
  }

  function drawTable() {
    const many = data.runs.length > 1;
    const names = [
      "",
      "Complexity",
      "Training",
      "Fresh (95 %)",
      "Solutions",
      "Rules",
      "Subspecies",
      ...(many ? ["Run"] : []),
    ];
    const rows = groups.map((group) => {
      const first = policies[group.ids[0]],
        mine = [
          ["a", "A"],
          ["b", "B"],
        ].filter(([letter]) => group.ids.includes(state[letter]));
      const cells = [
        group.complexity,
        fixed(group.performance),
        `${fixed(group.fresh)} (${fixed(group.interval[0])} to ${fixed(group.interval[1])})`,
        group.count,
        first.record.rules.length,
        group.tag,
        ...(many
          ? [
              [...new Set(group.ids.map((id) => data.runs[policies[id].run].name))].slice(0, 3).join(", ") +
                (group.ids.length > 3 ? " …" : ""),
            ]
          : []),
      ];
      const button = el(
        "button",
        {
          type: "button",
          onclick: () => choose("a", group.ids[0]),
          "aria-label": `Show the policy of ${toldOf(group)}`,
        },
        mine.map(([, letter]) => letter).join(" ") || "show",
      );
      return el(
        "tr",
        { "aria-current": mine.length ? "true" : undefined },
        el("td", {}, button),
        cells.map((cell) => el("td", {}, String(cell))),
      );
    });
    byId("front-table").replaceChildren(
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          names.map((name) => el("th", { scope: "col" }, name)),
        ),
      ),
      el("tbody", {}, rows),
    );
  }

  return { gathered, groupOf, draw };
})();
