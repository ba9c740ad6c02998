"use strict";
// Links the panels: which policies are looked at (A, and B to compare), and at which step of which episode.
const data = JSON.parse(byId("data").textContent);
const BASE = 30; // steps a second at speed 1
const MOST_WORDS = 60; // changes of the driving rule that are told in words
const LEAST = 260; // pixels that fuzzy sets are drawn over
const SHORT = 6; // lines of an episode's words that are shown without asking
const policies = data.policies.map((policy, id) => ({ ...policy, id, complexity: policy.record.complexity, tag: policy.record.tag.join("x") }));
const tags = [...new Set(policies.map((policy) => policy.tag))].sort((a, b) => a.length - b.length || sum(a) - sum(b) || (a < b ? -1 : 1));
const looks = new Map(tags.map((tag, place) => [tag, { colour: data.colours[place % data.colours.length], place }]));
const state = { a: data.best, b: null, shown: "archive", runs: new Set(data.runs.keys()), episode: 0, t: 0, playing: false, speed: 1, axes: null, at: {}, near: false, alone: null };
const slots = { a: null, b: null };
let groups = [];

function sum(tag) {
  return tag.split("x").reduce((total, m) => total + Number(m), 0);
}

// ---------------------------------------------------------------- a policy that is looked at

function decoded(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return Array.from(data.double ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer));
}

function inputsOf(model, episode) {
  const numbers = decoded(episode.seen), d = model.observed.length;
  return Array.from({ length: episode.steps + 1 }, (_, t) => Fuzzy.whole(model, numbers.slice(t * d, (t + 1) * d)));
}

function slotOf(id, letter) {
  if (id === null) return null;
  const policy = policies[id], model = Fuzzy.model(policy.record);
  const episodes = policy.episodes.map((episode) => ({ ...episode, inputs: inputsOf(model, episode) }));
  return { policy, model, episodes, letter, tint: `slot-${letter.toLowerCase()}`, tints: tintsOf(model), cards: [], firing: [], episode: state.episode };
}

// A colour for each action; levels of one quantity have those of the map.
function tintsOf(model) {
  const n = model.actions.length;
  if (n <= data.colours.length - 1 && !model.record.continuous) return data.colours.slice(0, n);
  const values = model.record.continuous ? model.actions.map((action) => Number(action.value)) : [...model.actions.keys()];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => hex(Plots.ramp((value - least) / (most - least || 1))));
}

// A step's words on a colour.
const onTint = (tint) => (light(tint) > 0.2 ? "#111" : "#fff");

const both = () => [slots.a, slots.b].filter(Boolean);
const episodeOf = (slot) => slot.episodes[state.episode];

// ---------------------------------------------------------------- the front

// Solutions of the same performance and complexity are one point; a click could not tell them apart.
function gathered() {
  const found = new Map();
  for (const policy of policies) {
    if (!state.runs.has(policy.run) || !(state.shown === "archive" ? policy.archive : policy.front)) continue;
    const key = `${policy.complexity} ${policy.performance}`;
    const group = found.get(key) ?? { key, complexity: policy.complexity, performance: policy.performance, fresh: policy.fresh_performance, interval: policy.fresh_interval, tag: policy.tag, ids: [], count: 0 };
    group.ids.push(policy.id);
    group.count += state.shown === "archive" ? 1 : policy.front;
    found.set(key, group);
  }
  return [...found.values()].sort((a, b) => a.complexity - b.complexity || a.performance - b.performance);
}

const groupOf = (id) => groups.findIndex((group) => group.ids.includes(id));
const toldOf = (group) => `complexity ${group.complexity}, mean return ${fixed(group.performance)}${group.count > 1 ? `, ${group.count} identical` : ""}`;

function drawFront() {
  const chosen = [["A", groups[groupOf(state.a)]], ["B", groups[groupOf(state.b)]]].filter(([, group]) => group);
  Plots.front(byId("front-plot"), groups, looks, chosen, state.near, (key, other) => {
    const group = groups.find((one) => one.key === key);
    choose(other || byId("compare").dataset.next === "b" ? "b" : "a", group.ids[0]);
  });
  for (const letter of ["a", "b"]) {
    const slider = byId(`slider-${letter}`), place = groupOf(state[letter]);
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
  const group = groups[groupOf(state.a)], line = byId("twins");
  line.hidden = !group || group.ids.length < 2;
  if (line.hidden) return line.replaceChildren();
  const at = group.ids.indexOf(state.a), step = (way) => choose("a", group.ids[(at + way + group.ids.length) % group.ids.length]);
  const run = data.runs.length > 1 ? ` (${data.runs[policies[state.a].run].name})` : "";
  line.replaceChildren(`A is ${at + 1} of ${group.ids.length} policies at this point${run} `, el("button", { type: "button", onclick: () => step(-1), "aria-label": "Previous at this point" }, "‹"), el("button", { type: "button", onclick: () => step(1), "aria-label": "Next at this point" }, "›"));
}

function drawTable() {
  const many = data.runs.length > 1;
  const names = ["", "Complexity", "Training", "Fresh (95 %)", "Solutions", "Rules", "Subspecies", ...(many ? ["Run"] : [])];
  const rows = groups.map((group) => {
    const first = policies[group.ids[0]], mine = [["a", "A"], ["b", "B"]].filter(([letter]) => group.ids.includes(state[letter]));
    const cells = [group.complexity, fixed(group.performance), `${fixed(group.fresh)} (${fixed(group.interval[0])} to ${fixed(group.interval[1])})`, group.count, first.record.rules.length, group.tag, ...(many ? [[...new Set(group.ids.map((id) => data.runs[policies[id].run].name))].slice(0, 3).join(", ") + (group.ids.length > 3 ? " …" : "")] : [])];
    const button = el("button", { type: "button", onclick: () => choose("a", group.ids[0]), "aria-label": `Show the policy of ${toldOf(group)}` }, mine.map(([, letter]) => letter).join(" ") || "show");
    return el("tr", { "aria-current": mine.length ? "true" : undefined }, el("td", {}, button), cells.map((cell) => el("td", {}, String(cell))));
  });
  byId("front-table").replaceChildren(el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows));
}

// ---------------------------------------------------------------- the rules

// A rule with its number, its words, and how true it was over the episode.
function ruleCard(slot, r) {
  const rule = slot.model.rules[r], tint = slot.tints[rule.action], episode = episodeOf(slot);
  const parts = slot.model.features.flatMap((feature, f) => {
    const words = Fuzzy.clauseWords(slot.model, rule, f);
    return words ? [[feature.name, words]] : [];
  });
  const words = el("p", { class: "sentence" }, el("span", { class: "dim" }, "IF "), parts.flatMap(([name, is], i) => [i ? el("span", { class: "dim" }, " AND ") : null, `${name} is `, el("b", {}, is)]), el("span", { class: "dim" }, " THEN "), el("span", { class: "action", style: `--tint: ${tint}` }, slot.model.actions[rule.action].words));
  const truth = el("output", { class: "truth" }), card = el("div", { class: "rule", style: `--tint: ${tint}; --on: ${onTint(tint)}`, "data-rule": r + 1 }, el("span", { class: "badge" }, `${slots.b ? slot.letter : ""}${r + 1}`), words, truth);
  const entry = { card, truth, spark: null };
  if (episode) {
    entry.spark = Pictures.spark(slot.firing.map((firing) => firing.rules[r]), slot.firing.map((firing) => firing.driver === r), tint, (t) => seek(t));
    card.append(entry.spark.root);
  }
  slot.cards[r] = entry;
  return card;
}

function drawRules() {
  for (const slot of both()) slot.cards = [];
  const list = byId("rule-list");
  byId("rules-note").textContent = slots.a.episodes.length ? "how true each is over the episode; full colour while it drives" : "";
  if (!slots.b) list.replaceChildren(el("ol", { class: "rules" }, slots.a.model.rules.map((_, r) => el("li", {}, ruleCard(slots.a, r)))));
  else list.replaceChildren(versus());
  byId("copies").replaceChildren(...both().flatMap((slot) => {
    const whose = slots.b ? ` of ${slot.letter}` : "";
    const rules = () => slot.policy.record.rules.map((rule, r) => `${r + 1}. ${rule}`).join("\n");
    return [["rules", rules], ["JSON", () => `${JSON.stringify(slot.policy.record, null, 2)}\n`]].map(([what, text]) => el("button", { type: "button", "data-copy": `${what}-${slot.letter}`, onclick: (event) => copy(text(), event.currentTarget) }, `Copy ${what}${whose}`));
  }));
}

// Two policies rule by rule: each of A beside that of B which acts likewise in most of the same places.
function versus() {
  const [a, b] = [slots.a, slots.b], row = (r, s, said) => el("tr", {}, el("td", {}, r === null ? "" : ruleCard(a, r)), el("td", { class: "said" }, said), el("td", {}, s === null ? "" : ruleCard(b, s)));
  const found = matches(a, b), left = b.model.rules.map((_, s) => s).filter((s) => !found.some((pair) => pair.s === s));
  const rows = a.model.rules.map((_, r) => {
    const pair = found.find((one) => one.r === r);
    return pair ? row(r, pair.s, difference(a, b, r, pair.s)) : row(r, null, "only in A");
  });
  return el("table", { class: "versus" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, title(a)), el("td", {}), el("th", { scope: "col" }, title(b)))), el("tbody", {}, rows, left.map((s) => row(null, s, "only in B"))));
}

function matches(a, b) {
  const axes = axesOf(a), cells = (slot) => Fuzzy.grid(slot.model, axes, axes.map((f) => [slot.model.features[f].low, slot.model.features[f].high]), restOf(slot), 60).drivers;
  const [mine, other] = axes.length === 2 ? [cells(a), cells(b)] : [[], []], pairs = [];
  a.model.rules.forEach((rule, r) => b.model.rules.forEach((twin, s) => {
    if (a.model.actions[rule.action].words !== b.model.actions[twin.action].words) return;
    let [common, either] = [0, 0];
    for (let at = 0; at < mine.length; at++) {
      common += mine[at] === r && other[at] === s;
      either += mine[at] === r || other[at] === s;
    }
    pairs.push({ r, s, value: (rule.text === twin.text ? 2 : 0) + common / Math.max(1, either) });
  }));
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

const title = (slot) => `${slot.letter}: complexity ${slot.policy.complexity}, mean return ${fixed(slot.policy.performance)}`;

// ---------------------------------------------------------------- sets, map, scores, run

function drawSets() {
  const box = byId("set-list"), width = Math.max(LEAST, box.clientWidth), list = both(), used = [...new Set(list.flatMap((slot) => slot.model.used))].sort((x, y) => x - y);
  const panels = used.map((f) => {
    const mine = list.filter((slot) => slot.model.features[f].refs.length > 1), models = mine.map((slot) => slot.model);
    const drawn = Pictures.sets(models, f, width, data.colours, slots.b ? "Of A, and dashed of B." : "");
    return { f, mine, drawn, box: el("figure", {}, el("figcaption", {}, models[0].features[f].name, models[0].features[f].terms.length ? el("small", {}, ` = ${Fuzzy.formula(models[0].features[f])}`) : null, slots.b && mine.length === 2 ? el("small", {}, " A full, B dashed") : mine[0].letter === "B" ? el("small", {}, " only B looks at it") : null), drawn.root) };
  });
  const all = slots.a.model.features, through = new Set(used.flatMap((f) => all[f].terms.map(([name]) => name)));
  const unused = all.filter((feature, f) => !used.includes(f) && !through.has(feature.name)).map((feature) => feature.name);
  box.replaceChildren(...panels.map((panel) => panel.box), unused.length ? el("p", { class: "told" }, `Not looked at: ${unused.join(", ")}.`) : "");
  [state.sets, state.setsWidth] = [panels, width];
}

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
    return seen.length ? (seen[(seen.length - 1) >> 1] + seen[seen.length >> 1]) / 2 : (feature.low + feature.high) / 2;
  });
}

function drawMap() {
  byId("map-b").parentElement.hidden = !slots.b;
  const axes = axesOf(slots.a), list = byId("legend");
  if (axes.length < 2) {
    byId("map-a").parentElement.hidden = true;
    return list.replaceChildren("A map needs two features; this policy has one. Its fuzzy sets tell all.");
  }
  drawAxes(axes);
  for (const slot of both()) {
    slot.episode = state.episode;
    const place = byId(`map-${slot.letter.toLowerCase()}`);
    slot.grid = Plots.map(place, slot.model, axes, restOf(slot), slot.episodes, slot.tints, slot, aloneOf(slot));
    place.setAttribute("aria-label", `Map of ${slot.letter}. ${shares(slot).join(" ")}`);
    if (place.dataset.listens) continue;
    place.dataset.listens = "yes";
    const light = (event) => probe(slot.letter.toLowerCase(), event?.points.find((point) => point.data.type === "heatmap")?.z ?? null);
    place.on("plotly_hover", light);
    place.on("plotly_unhover", () => light(null));
    place.on("plotly_afterplot", () => frame());
  }
  const keys = slots.a.model.actions.map((action, a) => el("span", { class: "action", style: `--tint: ${slots.a.tints[a]}` }, action.words));
  const gaps = both().some((slot) => slot.grid.drivers.includes(Fuzzy.NOBODY));
  list.replaceChildren(...keys, ...(gaps ? [el("span", { class: "action hatched" }, "no rule fires")] : []), slots.b ? el("span", { id: "agreement" }, agreement()) : "");
  byId("shares").replaceChildren(...both().flatMap((slot) => [el("p", {}, title(slot)), el("ul", {}, shares(slot).map((line) => el("li", {}, line)))]));
}

// The way of the action alone that is to be seen on the map.
function aloneOf(slot) {
  const other = data.alone[state.episode]?.find((one) => one.action === state.alone);
  return other ? { inputs: inputsOf(slot.model, other.episode), words: slot.model.actions[state.alone].words } : null;
}

// The rule under the pointer.
function probe(letter, driver) {
  slots[letter]?.cards.forEach(({ card }, r) => card.classList.toggle("probed", r === driver));
}

function shares(slot) {
  const total = slot.grid.drivers.length, part = (driver) => slot.grid.drivers.reduce((count, other) => count + (other === driver), 0) / total;
  const told = (share) => (share > 0 && share < 0.005 ? "less than 1 %" : `${Math.round(100 * share)} %`);
  const lines = slot.model.rules.map((rule, r) => `Rule ${r + 1} drives on ${told(part(r))} of the map: ${slot.model.actions[rule.action].words}.`);
  const gap = part(Fuzzy.NOBODY);
  return gap ? [...lines, `No rule fires on ${told(gap)}.`] : lines;
}

function agreement() {
  const [a, b] = [slots.a, slots.b].map((slot) => Array.from(slot.grid.choices, (choice) => (choice < 0 ? "" : slot.model.actions[choice].words)));
  if (a.length !== b.length || slots.a.model.record.continuous) return "";
  return `A and B act alike on ${Math.round((100 * a.filter((words, at) => words === b[at]).length) / a.length)} % of the map.`;
}

// Which features the map is over, and where the others are held.
function drawAxes(axes) {
  const { model } = slots.a, box = byId("axes");
  box.hidden = model.features.length < 3;
  if (box.hidden) return;
  const pick = (place) => el("label", {}, place ? "up " : "across ", el("select", { "data-axis": place, onchange: (event) => {
    const chosen = Number(event.currentTarget.value), next = [...axes];
    if (next[1 - place] === chosen) next[1 - place] = axes[place];
    next[place] = chosen;
    state.axes = next;
    drawMap();
    frame();
  } }, model.features.map((feature, f) => el("option", { value: f, selected: axes[place] === f ? "" : undefined }, feature.name))));
  const rest = restOf(slots.a), holds = model.used.filter((f) => !axes.includes(f) && !model.features[f].terms.length).map((f) => {
    const feature = model.features[f], told = el("output", {}, short(rest[f]));
    return el("label", {}, `${feature.name} `, el("input", { type: "range", min: feature.low, max: feature.high, step: feature.crisp ? 1 : (feature.high - feature.low) / 200, value: rest[f], onchange: () => { drawMap(); frame(); }, oninput: (event) => {
      state.at[f] = Number(event.currentTarget.value);
      told.textContent = short(state.at[f]);
    } }), told);
  });
  box.replaceChildren(pick(0), pick(1), ...holds);
}

function drawScores() {
  const list = both(), cells = (of) => list.map((slot) => String(of(slot.policy, data.runs[slot.policy.run], slot)));
  const rows = [
    ["Training", cells((p, run) => `${fixed(p.performance)}, mean of ${counted(run.training_starts, "start")} that the search used`)],
    ["Fresh", cells((p, run) => `${fixed(p.fresh_performance)}, mean of ${counted(run.fresh_starts, "start")} that it has not seen`)],
    ["95 % interval", cells((p) => `${fixed(p.fresh_interval[0])} to ${fixed(p.fresh_interval[1])}`)],
    ["Gap", cells((p) => `${fixed(p.performance - p.fresh_performance)}: ${p.performance > p.fresh_performance ? "by so much the training starts flatter" : "the training starts do not flatter"}`)],
    ["Complexity", cells((p) => counted(p.complexity, "decision point"))],
    ["Rules", cells((p) => p.record.rules.length)],
    ["Subspecies", cells((p) => `${p.tag} fuzzy sets`)],
    ["Found in", cells((p) => `generation ${p.gen}`)],
    ["Identical", cells((p) => (p.front ? `${counted(p.front, "solution")} of F₁ of the last generation` : "not in F₁ of the last generation"))],
    ...(data.runs.length > 1 ? [["Run", cells((p, run) => `${run.name} (seed ${run.seed})`)]] : []),
  ];
  const head = slots.b ? [el("thead", {}, el("tr", {}, el("td", {}), list.map((slot) => el("th", { scope: "col", class: slot.tint }, slot.letter))))] : [];
  byId("score-table").replaceChildren(...head, el("tbody", {}, rows.map(([name, values]) => pair(name, ...values))));
}

function drawRun() {
  const run = data.runs[slots.a.policy.run], ended = run.ended ? `, ended by: ${run.ended}` : "";
  const seconds = run.seconds < 60 ? `${run.seconds.toFixed(1)} s` : `${Math.round(run.seconds / 60)} min`;
  byId("run-told").replaceChildren(el("p", {}, `${data.env}, ${run.name}, seed ${run.seed}: ${counted(run.generations, "generation")}, ${counted(run.evaluations, "evaluation")} in ${seconds}${ended}.`),
    ...(run.hypervolume.length > 1 ? [el("figure", {}, el("figcaption", {}, "Hypervolume of the best ever found"), Pictures.history(run.hypervolume, "Hypervolume over the generations"))] : []));
  byId("settings-table").replaceChildren(el("tbody", {}, [...Object.entries(run.settings), ...Object.entries(run.versions)].map(([name, value]) => pair(name, value))));
}

// ---------------------------------------------------------------- the episode

function drawEpisode() {
  const list = both(), played = list.some((slot) => slot.episodes.length);
  byId("episode-title").textContent = slots.b ? "A and B from the same start" : `Policy A: complexity ${slots.a.policy.complexity}, mean return ${fixed(slots.a.policy.performance)}`;
  byId("player").hidden = !played;
  byId("story").hidden = !played;
  byId("story-note").textContent = slots.b ? "to A" : "";
  byId("note").hidden = !data.note;
  byId("note").textContent = data.note;
  for (const slot of list) {
    const episode = episodeOf(slot);
    slot.firing = episode ? episode.inputs.slice(0, episode.steps).map((input) => Fuzzy.infer(slot.model, input)) : [];
    slot.scene = episode ? Scenes.make(data.scene, slot.model, slot.episodes, `Policy ${slot.letter}`) : null;
  }
  byId("scenes").replaceChildren(...list.filter((slot) => slot.scene).map((slot) => el("figure", { class: slot.tint }, slots.b ? el("figcaption", {}, title(slot)) : null, slot.scene.root)));
  byId("start").replaceChildren(...slots.a.episodes.map((episode, e) => el("option", { value: e, selected: e === state.episode ? "" : undefined }, `${e + 1}: ${counted(episode.steps, "step")}`)));
  byId("step").max = longest();
  byId("why-b").hidden = !slots.b;
  const words = played && episodeOf(slots.a) ? inWords(slots.a) : [];
  byId("words").replaceChildren(...words);
  byId("words-box").open = words.length > 0 && words.length <= SHORT;
  byId("about").textContent = list.find((slot) => slot.scene)?.scene.about ?? "";
  drawAlone();
}

// What each action alone would lead to from the same start: what the policy is better than, and why it has to change.
function drawAlone() {
  const others = data.alone[state.episode] ?? [], box = byId("alone");
  box.hidden = !others.length;
  if (!others.length) return;
  const lines = others.map(({ action: a, episode: other }) => {
    const inputs = inputsOf(slots.a.model, other), ends = slots.a.model.used.slice(0, 2).map((f) => {
      const seen = inputs.map((input) => input[f]);
      return `${slots.a.model.features[f].name} between ${short(Math.min(...seen))} and ${short(Math.max(...seen))}`;
    });
    const button = el("button", { type: "button", "aria-pressed": state.alone === a, onclick: () => { state.alone = state.alone === a ? null : a; drawAlone(); drawMap(); frame(); } }, "on the map");
    return el("li", {}, el("span", { class: "action", style: `--tint: ${slots.a.tints[a]}` }, `always ${slots.a.model.actions[a].words}`), ` ends ${other.ended ? "" : "at the limit "}after ${counted(other.steps, "step")} with return ${fixed(other.performance)}${ends.length ? `, with ${ends.join(", ")}` : ""}. `, button);
  });
  box.replaceChildren(el("p", {}, "One action alone, from the same start:"), el("ul", {}, lines));
}

const longest = () => Math.max(0, ...both().map((slot) => episodeOf(slot)?.steps ?? 0));

// Stretches of one driving rule, each a button that goes there.
function inWords(slot) {
  const stretches = [];
  slot.firing.forEach(({ driver }, t) => {
    const last = stretches[stretches.length - 1];
    if (last?.driver === driver) last.to = t;
    else stretches.push({ driver, from: t, to: t });
  });
  const lines = stretches.slice(0, MOST_WORDS).map(({ driver, from, to }) => {
    const rule = slot.model.rules[driver], when = from === to ? `step ${from}` : `steps ${from} to ${to}`;
    const [first, last] = [from, to + 1].map((t) => episodeOf(slot).inputs[t]);
    const moves = slot.model.used.slice(0, 3).map((f) => `${slot.model.features[f].name} ${short(first[f])} → ${short(last[f])}`).join(", ");
    return el("li", {}, el("button", { type: "button", onclick: () => seek(from) }, when), " ", el("span", { class: "action", style: `--tint: ${slot.tints[rule.action]}` }, slot.model.actions[rule.action].words), ` by rule ${driver + 1}: ${moves}`);
  });
  if (stretches.length > MOST_WORDS) lines.push(el("li", {}, `and ${stretches.length - MOST_WORDS} changes more`));
  return [...lines, el("li", {}, ending(episodeOf(slot)))];
}

function ending(episode) {
  if (episode.uncovered) return `After ${counted(episode.steps, "step")} no rule fires, so the policy has no action: the episode has failed and counts ${fixed(episode.performance)}.`;
  return `After ${counted(episode.steps, "step")} ${episode.ended ? "the episode has ended" : "the step limit is reached"}: return ${fixed(episode.performance)}.`;
}

// Why a policy does at step t what it does.
function whyOf(slot, t) {
  const episode = episodeOf(slot), firing = slot.firing[t], input = episode.inputs[Math.min(t, episode.steps)];
  const seen = slot.model.used.map((f) => `${slot.model.features[f].name} ${short(input[f])}`).join(", ");
  if (!firing) return [`${ending(episode)} There: ${seen}.`];
  const rule = slot.model.rules[firing.driver];
  const parts = slot.model.used.flatMap((f) => {
    const words = Fuzzy.clauseWords(slot.model, rule, f);
    return words === "any" ? [] : [`${slot.model.features[f].name} ${short(input[f])} is ${words} (${fixed(firing.clauses[firing.driver][f])})`];
  });
  const votes = slot.model.actions.map((action, a) => `${Math.round(100 * firing.votes[a])} % ${action.words}`).filter((_, a) => firing.votes[a] > 0).join(", ");
  const tied = !slot.model.record.continuous && firing.strengths.filter((strength) => strength === firing.strengths[firing.choice]).length > 1;
  const does = slot.model.record.continuous ? `output ${short(Fuzzy.mean(slot.model, firing.strengths))}` : slot.model.actions[firing.choice].words;
  return [el("b", { class: "action", style: `--tint: ${slot.tints[rule.action]}` }, does), ` by rule ${firing.driver + 1}, true to ${fixed(firing.rules[firing.driver])}: ${parts.join(" and ") || "it is true everywhere"}. Votes: ${votes}${tied ? ": a tie, which the first action wins" : ""}.`];
}

// Everything that depends on the step.
function frame() {
  const t = Math.floor(state.t);
  for (const slot of both()) {
    const episode = episodeOf(slot);
    if (!episode) continue;
    const at = Math.min(t, episode.steps), firing = slot.firing[at], input = episode.inputs[at];
    const tint = firing ? slot.tints[firing.choice] : colour("muted");
    const value = !firing ? null : slot.model.record.continuous ? Fuzzy.mean(slot.model, firing.strengths) : slot.model.actions[firing.choice].value;
    slot.scene.show(episode, at, value, tint);
    slot.cards.forEach(({ card, truth, spark }, r) => {
      card.classList.toggle("drives", firing?.driver === r);
      card.style.setProperty("--truth", firing ? firing.rules[r].toFixed(3) : 0);
      truth.textContent = firing ? firing.rules[r].toFixed(2) : "";
      spark.follow(at);
    });
    const axes = axesOf(slot), place = byId(`map-${slot.letter.toLowerCase()}`);
    if (axes.length === 2) Plots.moveDot(place, slot.tint, input[axes[0]], input[axes[1]]);
    byId(slot.letter === "A" ? "why" : "why-b").replaceChildren(...(slots.b ? [`${slot.letter}: `] : []), ...whyOf(slot, at));
  }
  for (const { f, mine, drawn } of state.sets ?? []) {
    mine.forEach((slot, m) => {
      const episode = episodeOf(slot);
      if (!episode) return drawn.follow(m, null);
      const input = episode.inputs[Math.min(t, episode.steps)];
      drawn.follow(m, input[f], Fuzzy.truths(slot.model.features[f], input[f]));
    });
  }
  byId("step").value = t;
  byId("step-told").textContent = `step ${t} of ${longest()}`;
}

let clock = null;
function tick(now) {
  if (!state.playing) return;
  const before = Math.floor(state.t);
  state.t = Math.min(longest(), state.t + Math.min(0.25, (now - (clock ?? now)) / 1000) * BASE * state.speed);
  clock = now;
  if (Math.floor(state.t) !== before) frame();
  if (state.t >= longest()) return play(false);
  requestAnimationFrame(tick);
}

function play(on) {
  state.playing = on && longest() > 0;
  byId("play").textContent = state.playing ? "❚❚ Pause" : "▶ Play";
  byId("why").setAttribute("aria-live", state.playing ? "off" : "polite");
  if (!state.playing) return;
  if (state.t >= longest()) state.t = 0;
  clock = null;
  requestAnimationFrame(tick);
}

function seek(t) {
  state.t = clamp(t, 0, longest());
  frame();
}

// ---------------------------------------------------------------- choosing

// Look at a policy as A, or as B to compare; null takes B away.
function choose(letter, id) {
  play(false);
  state[letter] = id;
  if (letter === "a") [state.axes, state.at] = [null, {}];
  draw();
  history.replaceState(null, "", `#a=${state.a}${state.b === null ? "" : `&b=${state.b}`}`);
}

function draw() {
  const most = Math.max(0, policies[state.a].episodes.length - 1);
  state.episode = Math.min(state.episode, most);
  slots.a = slotOf(state.a, "A");
  slots.b = slotOf(state.b, "B");
  byId("compare").checked = state.b !== null;
  document.body.classList.toggle("comparing", state.b !== null);
  state.t = 0;
  drawFront();
  drawEpisode();
  drawRules();
  drawSets();
  drawMap();
  drawScores();
  drawRun();
  frame();
}

// Another set of points: A stays where it is still there, or becomes the best of them.
function regather() {
  groups = gathered();
  const ids = groups.flatMap((group) => group.ids);
  const best = groups.reduce((a, b) => (b.performance > (a?.performance ?? -Infinity) ? b : a), null);
  if (best && !ids.includes(state.a)) state.a = best.ids[0];
  if (!ids.includes(state.b)) state.b = null;
}

// The policy that is most worth comparing with A: the next simpler one, or else the next.
function neighbour() {
  const place = groupOf(state.a);
  return groups[place > 0 ? place - 1 : Math.min(1, groups.length - 1)].ids[0];
}

function move(letter, way) {
  const place = clamp(groupOf(state[letter]) + way, 0, groups.length - 1);
  if (groups[place]) choose(letter, groups[place].ids[0]);
}

function drawRunChoice() {
  const box = byId("runs"), many = data.runs.length > 1;
  box.hidden = !many;
  if (!many) return;
  const told = () => { box.querySelector("summary").textContent = `Runs: ${state.runs.size} of ${data.runs.length}`; };
  const set = (runs) => {
    state.runs = new Set(runs);
    for (const input of box.querySelectorAll("input")) input.checked = state.runs.has(Number(input.value));
    told();
    regather();
    draw();
  };
  const one = (run, r) => el("label", { class: "check" }, el("input", { type: "checkbox", value: r, checked: "", onchange: (event) => {
    set(event.currentTarget.checked ? [...state.runs, r] : [...state.runs].filter((other) => other !== r));
  } }), run.name);
  box.querySelector("div").replaceChildren(el("button", { type: "button", onclick: () => set(data.runs.keys()) }, "all"), el("button", { type: "button", onclick: () => set([]) }, "none"), ...data.runs.map(one));
  told();
}

// ---------------------------------------------------------------- the page

const THEMES = { "": "as the system", light: "light", dark: "dark" };
const root = document.documentElement;

function theme(name) {
  if (name) root.dataset.theme = name;
  else delete root.dataset.theme;
  byId("theme").textContent = `Theme: ${THEMES[name]}`;
  redraw();
}

// What has colours or sizes of its own.
function redraw() {
  if (!slots.a) return;
  for (const slot of both()) slot.tints = tintsOf(slot.model);
  drawFront();
  drawEpisode();
  drawRules();
  drawSets();
  drawMap();
  frame();
}

function listen() {
  byId("theme").addEventListener("click", () => theme({ undefined: "light", light: "dark", dark: "" }[root.dataset.theme]));
  byId("print").addEventListener("click", () => window.print());
  byId("shown").addEventListener("change", (event) => { state.shown = event.currentTarget.value; regather(); draw(); });
  byId("compare").addEventListener("change", (event) => choose("b", event.currentTarget.checked ? neighbour() : null));
  for (const letter of ["a", "b"]) byId(`slider-${letter}`).addEventListener("input", (event) => choose(letter, groups[Number(event.currentTarget.value)].ids[0]));
  byId("near").addEventListener("click", () => {
    state.near = !state.near;
    byId("near").setAttribute("aria-pressed", state.near);
    drawFront();
  });
  byId("previous").addEventListener("click", () => move("a", -1));
  byId("next").addEventListener("click", () => move("a", 1));
  byId("play").addEventListener("click", () => play(!state.playing));
  byId("step").addEventListener("input", (event) => { play(false); seek(Number(event.currentTarget.value)); });
  byId("speed").addEventListener("change", (event) => { state.speed = Number(event.currentTarget.value); });
  byId("start").addEventListener("change", (event) => { play(false); state.episode = Number(event.currentTarget.value); draw(); });
  document.addEventListener("keydown", keys);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new ResizeObserver(([entry]) => {
    if (Math.abs(Math.max(LEAST, entry.contentRect.width) - state.setsWidth) > 1) { drawSets(); frame(); }
  }).observe(byId("set-list"));
  // Plotly looks at the window only, but a plot's room also changes when a second one comes beside it.
  const fit = new ResizeObserver((entries) => {
    for (const { target } of entries) if (target.clientWidth && target.classList.contains("js-plotly-plot")) Plotly.Plots.resize(target);
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
  for (const place of document.querySelectorAll(".js-plotly-plot")) if (place.clientWidth) Plotly.relayout(place, { autosize: true });
}

function keys(event) {
  const typing = event.target.closest?.("input, select, textarea, button, summary, a");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const does = { j: () => move("a", 1), k: () => move("a", -1), c: () => choose("b", state.b === null ? neighbour() : null), ",": () => { play(false); seek(Math.floor(state.t) - 1); }, ".": () => { play(false); seek(Math.floor(state.t) + 1); } }[event.key];
  if (does && !event.target.closest?.("select, textarea")) does();
  else if (event.key === " " && !typing) play(!state.playing);
  else return;
  event.preventDefault();
}

function start() {
  byId("heading").textContent = document.title;
  const found = policies.filter((policy) => policy.archive).length;
  byId("summary").textContent = `${counted(data.runs.length, "run")}, ${found.toLocaleString("en")} ${found === 1 ? "policy" : "policies"} that no other beat. A point's height is how well it did, its place how little there is to read.`;
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
