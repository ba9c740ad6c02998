"use strict";
// A policy's inference, operation for operation as in mococo/kernels/fuzzy.py, so that both give the same numbers:
// tests/browser lays them side by side. Everything that this page says of firing rules comes from here.
const Fuzzy = (() => {
  const NOBODY = -1;

  // What inference reads, from a policy's file.
  function model(record) {
    const features = record.features.map((feature) => {
      const sets = Object.entries(feature.sets).sort((a, b) => a[1] - b[1]);
      const refs = sets.map((set) => set[1]);
      const slopes = refs.map((ref, j) => (j + 1 < refs.length ? 1 / (refs[j + 1] - ref) : 0));
      return { ...feature, refs, slopes, names: sets.map((set) => set[0]) };
    });
    const rules = record.gabil.map((text, r) => {
      const parts = text.split("|");
      const action = Number(parts.pop()) - 1;
      return { text: record.rules[r], action, clauses: parts.map((bits) => [...bits].map((bit) => bit === "1")) };
    });
    const observed = features.filter((feature) => !feature.terms.length);
    const used = features.flatMap((feature, f) => (feature.refs.length > 1 ? [f] : []));
    return { record, features, rules, observed, used, actions: record.actions };
  }

  // Observed numbers with the derived features' behind them, as observations.with_derived.
  function whole(model, observed) {
    const names = model.observed.map((feature) => feature.name);
    const derived = model.features
      .filter((feature) => feature.terms.length)
      .map((feature) => {
        let total = 0;
        for (const [name, weight] of feature.terms) total += weight * observed[names.indexOf(name)];
        return total;
      });
    return derived.length ? [...observed, ...derived] : observed;
  }

  // The truth of each set of a feature at x.
  function truths(feature, x) {
    let passed = 0,
      base = 0,
      slope = 0;
    feature.refs.forEach((ref, j) => {
      if (x >= ref) [passed, base, slope] = [j + 1, ref, feature.slopes[j]];
    });
    const u = (x - base) * slope;
    const place = 2 * passed + (u > 0 ? 1 : 0) + (u >= 1 ? 1 : 0);
    const first = Math.max(place >> 1, 1) - 1;
    const all = feature.refs.map(() => 0);
    if (place & 1) [all[first], all[first + 1]] = [1 - u, u];
    else all[first] = 1;
    return all;
  }

  function clause(selected, sets) {
    let truth = 0;
    for (let j = 0; j < sets.length; j++) if (selected[j] && sets[j] > truth) truth = sets[j];
    return truth;
  }

  // sets: the truths of all sets; clauses: those of each rule's clauses; rules, votes, choice and driver as in
  // analysis/trajectories.py: the action with the most votes, and the truest of the rules that advocate it.
  function infer(model, input) {
    const sets = model.features.map((feature, f) => truths(feature, input[f]));
    const clauses = model.rules.map((rule) => rule.clauses.map((selected, f) => clause(selected, sets[f])));
    const rules = clauses.map((parts) => Math.min(1, ...parts));
    const strengths = model.actions.map(() => 0);
    model.rules.forEach((rule, r) => {
      strengths[rule.action] += rules[r];
    });
    const { choice, driver } = winner(model, rules, strengths);
    const total = strengths.reduce((sum, strength) => sum + strength, 0);
    const votes = strengths.map((strength) => (total > 0 ? strength / total : 0));
    return { sets, clauses, rules, strengths, votes, choice, driver };
  }

  function winner(model, rules, strengths) {
    let choice = 0,
      driver = NOBODY;
    for (let a = 1; a < strengths.length; a++) if (strengths[a] > strengths[choice]) choice = a;
    if (!(strengths[choice] > 0)) return { choice: NOBODY, driver: NOBODY };
    for (let r = 0; r < rules.length; r++) {
      if (model.rules[r].action === choice && (driver === NOBODY || rules[r] > rules[driver])) driver = r;
    }
    return { choice, driver };
  }

  // The output of a policy that gives the mean of its actions' values, weighted with their votes.
  function mean(model, strengths) {
    let weighted = 0,
      total = 0;
    strengths.forEach((strength, a) => {
      weighted += strength * model.actions[a].value;
      total += strength;
    });
    return Math.fround(weighted / total); // the environment is given single precision
  }

  // The policy at the centres of n x n cells over the spans of features x and y; the others as in `rest`. A derived
  // feature follows from the observed ones, unless it or another one is an axis: as map_figure.action_grid.
  function grid(model, [x, y], spans, rest, n) {
    const [xs, ys] = spans.map(([low, high]) =>
      Array.from({ length: n }, (_, i) => low + ((i + 0.5) / n) * (high - low)),
    );
    const free = model.features[x].terms.length || model.features[y].terms.length;
    const follow = free ? [] : model.features.flatMap((feature, f) => (feature.terms.length ? [f] : []));
    const at = (f, value) => {
      const feature = model.features[f];
      const input = feature.crisp ? Math.min(feature.high, Math.max(feature.low, Math.round(value))) : value;
      const sets = truths(feature, input);
      return model.rules.map((rule) => clause(rule.clauses[f], sets));
    };
    const [along, up] = [xs.map((value) => at(x, value)), ys.map((value) => at(y, value))];
    const fixed = model.rules.map(() => 1);
    model.features.forEach((_, f) => {
      if (f === x || f === y || follow.includes(f)) return;
      at(f, rest[f]).forEach((truth, r) => {
        fixed[r] = Math.min(fixed[r], truth);
      });
    });
    const drivers = new Int16Array(n * n),
      choices = new Int16Array(n * n),
      outputs = new Float64Array(n * n);
    const rules = fixed.slice(),
      strengths = model.actions.map(() => 0),
      input = rest.slice(0, model.observed.length);
    for (let j = 0; j < n; j++) {
      for (let i = 0; i < n; i++) {
        for (let r = 0; r < rules.length; r++) rules[r] = Math.min(fixed[r], along[i][r], up[j][r]);
        if (follow.length) {
          [input[x], input[y]] = [xs[i], ys[j]];
          const all = whole(model, input);
          for (const f of follow)
            at(f, all[f]).forEach((truth, r) => {
              rules[r] = Math.min(rules[r], truth);
            });
        }
        strengths.fill(0);
        for (let r = 0; r < rules.length; r++) strengths[model.rules[r].action] += rules[r];
        const { choice, driver } = winner(model, rules, strengths);
        [drivers[j * n + i], choices[j * n + i]] = [driver, choice];
        if (model.record.continuous) outputs[j * n + i] = mean(model, strengths);
      }
    }
    return { x, y, xs, ys, n, drivers, choices, outputs };
  }

  // The words of a rule's clause on a feature, or nothing where the policy does not look at it.
  function clauseWords(model, rule, f) {
    const names = model.features[f].names.filter((_, j) => rule.clauses[f][j]);
    if (model.features[f].refs.length === 1) return "";
    if (names.length === model.features[f].refs.length) return "any";
    return names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} or ${names[names.length - 1]}`;
  }

  // The sum of a derived feature, as one writes it.
  const formula = (feature) =>
    feature.terms
      .map(
        ([name, weight], i) =>
          `${weight < 0 ? (i ? " \u2212 " : "\u2212") : i ? " + " : ""}${Math.abs(weight) === 1 ? "" : `${Math.abs(weight)} \u00b7 `}${name}`,
      )
      .join("");

  return { NOBODY, formula, model, whole, truths, infer, mean, grid, clauseWords };
})();
