"use strict";
// Two policies side by side: which rules answer to each other, what differs, and how much of the map is the same.
const Versus = (() => {
  // Two policies rule by rule: each of A beside that of B which acts likewise in most of the same places.
  function table(ruleCard) {
    const [a, b] = [slots.a, slots.b],
      row = (r, s, said) =>
        el(
          "tr",
          {},
          el("td", {}, r === null ? "" : ruleCard(a, r)),
          el("td", { class: "said" }, said),
          el("td", {}, s === null ? "" : ruleCard(b, s)),
        );
    const found = matches(a, b),
      left = b.model.rules.map((_, s) => s).filter((s) => !found.some((pair) => pair.s === s));
    const rows = a.model.rules.map((_, r) => {
      const pair = found.find((one) => one.r === r);
      return pair ? row(r, pair.s, difference(a, b, r, pair.s)) : row(r, null, "only in A");
    });
    return el(
      "table",
      { class: "versus" },
      el(
        "thead",
        {},
        el("tr", {}, el("th", { scope: "col" }, title(a)), el("td", {}), el("th", { scope: "col" }, title(b))),
      ),
      el(
        "tbody",
        {},
        rows,
        left.map((s) => row(null, s, "only in B")),
      ),
    );
  }

  // Pairs of rules with the same action: those with the same words first, then those that share most of the map.
  function matches(a, b) {
    const axes = ActionMap.axesOf(a),
      cells = (slot) =>
        Fuzzy.grid(
          slot.model,
          axes,
          axes.map((f) => [slot.model.features[f].low, slot.model.features[f].high]),
          ActionMap.restOf(slot),
          60,
        ).drivers;
    const [mine, other] = axes.length === 2 ? [cells(a), cells(b)] : [[], []],
      pairs = [];
    a.model.rules.forEach((rule, r) =>
      b.model.rules.forEach((twin, s) => {
        if (a.model.actions[rule.action].words !== b.model.actions[twin.action].words) return;
        let [common, either] = [0, 0];
        for (let at = 0; at < mine.length; at++) {
          common += mine[at] === r && other[at] === s;
          either += mine[at] === r || other[at] === s;
        }
        pairs.push({ r, s, value: (rule.text === twin.text ? 2 : 0) + common / Math.max(1, either) });
      }),
    );
    const found = [];
    for (const pair of pairs.sort((p, q) => q.value - p.value || p.r - q.r || p.s - q.s)) {
      if (pair.value > 0 && !found.some((one) => one.r === pair.r || one.s === pair.s)) found.push(pair);
    }
    return found;
  }

  function difference(a, b, r, s) {
    const changed = a.model.features.flatMap((feature, f) => {
      const [one, two] = [a, b].map((slot) => Fuzzy.clauseWords(slot.model, slot.model.rules[slot === a ? r : s], f));
      return one === two ? [] : [feature.name];
    });
    return changed.length ? `other ${changed.join(", ")}` : "same words";
  }

  function agreement() {
    const [a, b] = [slots.a, slots.b].map((slot) =>
      Array.from(slot.grid.choices, (choice) => (choice < 0 ? "" : slot.model.actions[choice].words)),
    );
    if (a.length !== b.length || slots.a.model.record.continuous) return "";
    return `A and B act alike on ${Math.round((100 * a.filter((words, at) => words === b[at]).length) / a.length)} % of the map.`;
  }

  return { table, agreement };
})();
