"use strict";
// The rules of a policy in its words, and how true each is over the episode.
const Rules = (() => {
  // A rule with its number, its words, and how true it was over the episode.
  function ruleCard(slot, r) {
    const rule = slot.model.rules[r],
      tint = slot.tints[rule.action],
      episode = episodeOf(slot);
    const parts = slot.model.features.flatMap((feature, f) => {
      const words = Fuzzy.clauseWords(slot.model, rule, f);
      return words ? [[feature.name, words]] : [];
    });
    const words = el(
      "p",
      { class: "sentence" },
      el("span", { class: "dim" }, "IF "),
      parts.flatMap(([name, is], i) => [
        i ? el("span", { class: "dim" }, " AND ") : null,
        `${name} is `,
        el("b", {}, is),
      ]),
      el("span", { class: "dim" }, " THEN "),
      el("span", { class: "action", style: `--tint: ${tint}` }, slot.model.actions[rule.action].words),
    );
    const truth = el("output", { class: "truth" }),
      card = el(
        "div",
        { class: "rule", style: `--tint: ${tint}; --on: ${Slot.onTint(tint)}`, "data-rule": r + 1 },
        el("span", { class: "badge" }, `${slots.b ? slot.letter : ""}${r + 1}`),
        words,
        truth,
      );
    const entry = { card, truth, spark: null };
    if (episode) {
      entry.spark = Pictures.spark(
        slot.firing.map((firing) => firing.rules[r]),
        slot.firing.map((firing) => firing.driver === r),
        tint,
        (t) => Episode.seek(t),
      );
      card.append(entry.spark.root);
    }
    slot.cards[r] = entry;
    return card;
  }

  function draw() {
    for (const slot of both()) slot.cards = [];
    const list = byId("rule-list");
    byId("rules-note").textContent = slots.a.episodes.length
      ? "how true each is over the episode; full colour while it drives"
      : "";
    if (!slots.b)
      list.replaceChildren(
        el(
          "ol",
          { class: "rules" },
          slots.a.model.rules.map((_, r) => el("li", {}, ruleCard(slots.a, r))),
        ),
      );
    else list.replaceChildren(Versus.table(ruleCard));
    byId("copies").replaceChildren(
      ...both().flatMap((slot) => {
        const whose = slots.b ? ` of ${slot.letter}` : "";
        const rules = () => slot.policy.record.rules.map((rule, r) => `${r + 1}. ${rule}`).join("\n");
        return [
          ["rules", rules],
          ["JSON", () => `${JSON.stringify(slot.policy.record, null, 2)}\n`],
        ].map(([what, text]) =>
          el(
            "button",
            {
              type: "button",
              "data-copy": `${what}-${slot.letter}`,
              onclick: (event) => copy(text(), event.currentTarget),
            },
            `Copy ${what}${whose}`,
          ),
        );
      }),
    );
  }

  // The rule under the pointer.
  function probe(letter, driver) {
    slots[letter]?.cards.forEach(({ card }, r) => card.classList.toggle("probed", r === driver));
  }

  function follow(slot, t) {
    const firing = slot.firing[t];
    slot.cards.forEach(({ card, truth, spark }, r) => {
      card.classList.toggle("drives", firing?.driver === r);
      card.style.setProperty("--truth", firing ? firing.rules[r].toFixed(3) : 0);
      truth.textContent = firing ? firing.rules[r].toFixed(2) : "";
      spark.follow(t);
    });
  }

  return { draw, follow, probe };
})();
