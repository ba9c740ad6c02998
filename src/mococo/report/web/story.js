"use strict";
// The episode in words: what happened, why the policy acted so, and where one action alone would have led.
const Story = (() => {
  const MOST_WORDS = 60; // changes of the driving rule that are told in words
  const SHORT = 6; // lines of an episode's words that are shown without asking

  function draw() {
    const played = both().some((slot) => slot.episodes.length),
      lines = played && episodeOf(slots.a) ? words(slots.a) : [];
    byId("story").hidden = !played;
    byId("story-note").textContent = slots.b ? "to A" : "";
    byId("why-b").hidden = !slots.b;
    byId("words").replaceChildren(...lines);
    byId("words-box").open = lines.length > 0 && lines.length <= SHORT;
    drawAlone();
  }

  // What each action alone would lead to from the same start: what the policy is better than, and why it has to change.
  function drawAlone() {
    const others = data.alone[state.episode] ?? [],
      box = byId("alone");
    box.hidden = !others.length;
    if (!others.length) return;
    const lines = others.map(({ action: a, episode: other }) => {
      const inputs = Slot.inputs(slots.a.model, other),
        ends = slots.a.model.used.slice(0, 2).map((f) => {
          const seen = inputs.map((input) => input[f]);
          return `${slots.a.model.features[f].name} between ${short(Math.min(...seen))} and ${short(Math.max(...seen))}`;
        });
      const button = el(
        "button",
        {
          type: "button",
          "aria-pressed": state.alone === a,
          onclick: () => {
            state.alone = state.alone === a ? null : a;
            drawAlone();
            ActionMap.draw();
            Episode.frame();
          },
        },
        "on the map",
      );
      return el(
        "li",
        {},
        el(
          "span",
          { class: "action", style: `--tint: ${slots.a.tints[a]}` },
          `always ${slots.a.model.actions[a].words}`,
        ),
        ` ends ${other.ended ? "" : "at the limit "}after ${counted(other.steps, "step")} with return ${fixed(other.performance)}${ends.length ? `, with ${ends.join(", ")}` : ""}. `,
        button,
      );
    });
    box.replaceChildren(el("p", {}, "One action alone, from the same start:"), el("ul", {}, lines));
  }

  // Stretches of one driving rule, each a button that goes there.
  function words(slot) {
    const stretches = [];
    slot.firing.forEach(({ driver }, t) => {
      const last = stretches[stretches.length - 1];
      if (last?.driver === driver) last.to = t;
      else stretches.push({ driver, from: t, to: t });
    });
    const lines = stretches.slice(0, MOST_WORDS).map(({ driver, from, to }) => {
      const rule = slot.model.rules[driver],
        when = from === to ? `step ${from}` : `steps ${from} to ${to}`;
      const [first, last] = [from, to + 1].map((t) => episodeOf(slot).inputs[t]);
      const moves = slot.model.used
        .slice(0, 3)
        .map((f) => `${slot.model.features[f].name} ${short(first[f])} → ${short(last[f])}`)
        .join(", ");
      return el(
        "li",
        {},
        el("button", { type: "button", onclick: () => Episode.seek(from) }, when),
        " ",
        el(
          "span",
          { class: "action", style: `--tint: ${slot.tints[rule.action]}` },
          slot.model.actions[rule.action].words,
        ),
        ` by rule ${driver + 1}: ${moves}`,
      );
    });
    if (stretches.length > MOST_WORDS) lines.push(el("li", {}, `and ${stretches.length - MOST_WORDS} changes more`));
    return [...lines, el("li", {}, ending(episodeOf(slot)))];
  }

  function ending(episode) {
    if (episode.uncovered)
      return `After ${counted(episode.steps, "step")} no rule fires, so the policy has no action: the episode has failed and counts ${fixed(episode.performance)}.`;
    return `After ${counted(episode.steps, "step")} ${episode.ended ? "the episode has ended" : "the step limit is reached"}: return ${fixed(episode.performance)}.`;
  }

  // Why a policy does at step t what it does.
  function why(slot, t) {
    const episode = episodeOf(slot),
      firing = slot.firing[t],
      input = episode.inputs[Math.min(t, episode.steps)];
    const seen = slot.model.used.map((f) => `${slot.model.features[f].name} ${short(input[f])}`).join(", ");
    if (!firing) return [`${ending(episode)} There: ${seen}.`];
    const rule = slot.model.rules[firing.driver];
    const parts = slot.model.used.flatMap((f) => {
      const words = Fuzzy.clauseWords(slot.model, rule, f);
      return words === "any"
        ? []
        : [
            `${slot.model.features[f].name} ${short(input[f])} is ${words} (${fixed(firing.clauses[firing.driver][f])})`,
          ];
    });
    const votes = slot.model.actions
      .map((action, a) => `${Math.round(100 * firing.votes[a])} % ${action.words}`)
      .filter((_, a) => firing.votes[a] > 0)
      .join(", ");
    const tied =
      !slot.model.record.continuous &&
      firing.strengths.filter((strength) => strength === firing.strengths[firing.choice]).length > 1;
    const does = slot.model.record.continuous
      ? `output ${short(Fuzzy.mean(slot.model, firing.strengths))}`
      : slot.model.actions[firing.choice].words;
    return [
      el("b", { class: "action", style: `--tint: ${slot.tints[rule.action]}` }, does),
      ` by rule ${firing.driver + 1}, true to ${fixed(firing.rules[firing.driver])}: ${parts.join(" and ") || "it is true everywhere"}. Votes: ${votes}${tied ? ": a tie, which the first action wins" : ""}.`,
    ];
  }

  function follow(slot, t) {
    byId(slot.letter === "A" ? "why" : "why-b").replaceChildren(
      ...(slots.b ? [`${slot.letter}: `] : []),
      ...why(slot, t),
    );
  }

  return { draw, follow, why };
})();
