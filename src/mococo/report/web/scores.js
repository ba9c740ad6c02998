"use strict";
// What is known of the policies and of the run that they come from.
const Scores = (() => {
  function draw() {
    drawScores();
    drawRun();
  }

  function drawScores() {
    const list = both(),
      cells = (of) => list.map((slot) => String(of(slot.policy, data.runs[slot.policy.run], slot)));
    const rows = [
      [
        "Training",
        cells(
          (p, run) => `${fixed(p.performance)}, mean of ${counted(run.training_starts, "start")} that the search used`,
        ),
      ],
      [
        "Fresh",
        cells(
          (p, run) =>
            `${fixed(p.fresh_performance)}, mean of ${counted(run.fresh_starts, "start")} that it has not seen`,
        ),
      ],
      ["95 % interval", cells((p) => `${fixed(p.fresh_interval[0])} to ${fixed(p.fresh_interval[1])}`)],
      [
        "Gap",
        cells(
          (p) =>
            `${fixed(p.performance - p.fresh_performance)}: ${p.performance > p.fresh_performance ? "by so much the training starts flatter" : "the training starts do not flatter"}`,
        ),
      ],
      [
        "Uncovered",
        cells((p, run) => `no rule fired in ${p.fresh_uncovered} of ${counted(run.fresh_starts, "fresh episode")}`),
      ],
      ["Complexity", cells((p) => counted(p.complexity, "decision point"))],
      ["Rules", cells((p) => p.record.rules.length)],
      ["Subspecies", cells((p) => `${p.tag} fuzzy sets`)],
      ["Found in", cells((p) => `generation ${p.gen}`)],
      [
        "Identical",
        cells((p) =>
          p.front ? `${counted(p.front, "solution")} of F₁ of the last generation` : "not in F₁ of the last generation",
        ),
      ],
      ...(data.runs.length > 1 ? [["Run", cells((p, run) => `${run.name} (seed ${run.seed})`)]] : []),
    ];
    const head = slots.b
      ? [
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              el("td", {}),
              list.map((slot) => el("th", { scope: "col", class: slot.tint }, slot.letter)),
            ),
          ),
        ]
      : [];
    byId("score-table").replaceChildren(
      ...head,
      el(
        "tbody",
        {},
        rows.map(([name, values]) => pair(name, ...values)),
      ),
    );
  }

  function drawRun() {
    const run = data.runs[slots.a.policy.run],
      ended = run.ended ? `, ended by: ${run.ended}` : "";
    const seconds = run.seconds < 60 ? `${run.seconds.toFixed(1)} s` : `${Math.round(run.seconds / 60)} min`;
    byId("run-told").replaceChildren(
      el(
        "p",
        {},
        `${data.env}, ${run.name}, seed ${run.seed}: ${counted(run.generations, "generation")}, ${counted(run.evaluations, "evaluation")} in ${seconds}${ended}.`,
      ),
      ...(run.hypervolume.length > 1
        ? [
            el(
              "figure",
              {},
              el("figcaption", {}, "Hypervolume of the best ever found"),
              Pictures.history(run.hypervolume, "Hypervolume over the generations"),
            ),
          ]
        : []),
    );
    byId("settings-table").replaceChildren(
      el(
        "tbody",
        {},
        [...Object.entries(run.settings), ...Object.entries(run.versions)].map(([name, value]) => pair(name, value)),
      ),
    );
  }

  return { draw };
})();
