"use strict";
// Follows a run: what the server tells of it is drawn as it comes.
const about = JSON.parse(byId("data").textContent);
const WINDOW = 10; // generations over which a speed is averaged
const TRAIL = 8; // fronts of earlier generations that stay, paler and paler
const run = { records: [], numGens: 0, state: "running", ended: "", error: "", shown: null, at: Date.now() };

const amount = (x) => {
  for (const [size, unit] of [
    [1e9, " G"],
    [1e6, " M"],
    [1e3, " k"],
  ])
    if (x >= size) return `${Number((x / size).toPrecision(3))}${unit}`;
  return String(Number(x.toPrecision(3)));
};

function duration(seconds) {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(Math.round(seconds) % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

const total = (records, name) => records.reduce((sum, record) => sum + record[name], 0);

function tiles() {
  const { records } = run,
    recent = records.slice(1).slice(-WINDOW),
    speed = recent.length ? recent : records;
  const seconds = Math.max(1e-9, total(speed, "seconds")),
    last = records[records.length - 1];
  const best = last ? Math.max(...everBest(records.length).map(([, value]) => value)) : NaN,
    steps = total(speed, "env_steps");
  const going = run.state === "running" && speed.length;
  return [
    ["Generation", `${records.length} of ${run.numGens}`],
    ["Evaluations a second", speed.length ? amount(total(speed, "evaluations") / seconds) : "?"],
    ...(steps ? [["Steps a second", amount(steps / seconds)]] : []),
    ["Time so far", duration(total(records, "seconds"))],
    [
      "Time left",
      going
        ? `about ${duration((seconds / speed.length) * (run.numGens - records.length))}`
        : run.state === "running"
          ? "?"
          : "0 s",
    ],
    ["Best mean return so far", fixed(best)],
    ["Policies kept", last ? String(last.archive_size) : "0"],
  ];
}

// The best at each complexity up to a generation.
function everBest(until) {
  const found = new Map();
  for (const record of run.records.slice(0, until + 1)) {
    for (const [complexity, value] of [...Object.entries(record.best), ...Object.entries(record.archive_best)])
      found.set(Number(complexity), Math.max(value, found.get(Number(complexity)) ?? -Infinity));
  }
  let best = -Infinity;
  return [...found].sort((a, b) => a[0] - b[0]).filter(([, value]) => value > best && ((best = value), true));
}

const points = (record) =>
  Object.entries(record.best)
    .map(([complexity, value]) => [Number(complexity), value])
    .sort((a, b) => a[0] - b[0]);

function drawFront() {
  const g = run.shown ?? run.records.length - 1,
    record = run.records[g];
  if (!record) return;
  const ever = everBest(g),
    trace = (list, more) => ({ type: "scatter", x: list.map((p) => p[0]), y: list.map((p) => p[1]), ...more });
  const trail = run.records.slice(Math.max(0, g - TRAIL), g).map((old, i, all) =>
    trace(points(old), {
      mode: "markers",
      hoverinfo: "skip",
      showlegend: false,
      marker: { size: 7, color: colour("muted"), opacity: (0.5 * (i + 1)) / (all.length + 1) },
    }),
  );
  const traces = [
    ...trail,
    trace(ever, {
      mode: "lines",
      name: "best so far",
      line: { shape: "hv", color: colour("muted"), width: 1.2, dash: "dot" },
    }),
    trace(points(record), {
      mode: "markers",
      name: `generation ${g}`,
      marker: { size: 10, color: colour("slot-a") },
      hovertemplate: "complexity %{x}: %{y:.2f}<extra></extra>",
    }),
  ];
  // As far as the last fronts reach: those of the first generations have much that is never seen again.
  const most = Math.max(
    ...ever.map(([c]) => c),
    ...[...trail.flatMap((old) => old.x), ...points(record).map((p) => p[0])],
  );
  Plotly.react(
    byId("front-plot"),
    traces,
    Plots.layout({
      xaxis: { title: "complexity (decision points)", range: [0, most + 1] },
      yaxis: { title: "best mean return" },
      uirevision: "front",
    }),
    Plots.config("front"),
  );
  byId("front-note").textContent = `F₁ of generation ${g}${run.shown === null ? ", the last" : ""}`;
  byId("generation").max = run.records.length - 1;
  byId("generation").value = g;
  byId("generation-told").textContent = `${g} of ${run.numGens - 1}`;
  const old = new Map(ever);
  byId("front-table").replaceChildren(
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        ["Complexity", `In generation ${g}`, "Best so far"].map((name) => el("th", { scope: "col" }, name)),
      ),
    ),
    el(
      "tbody",
      {},
      [...new Set([...old.keys(), ...points(record).map((p) => p[0])])]
        .sort((a, b) => a - b)
        .map((c) =>
          pair(
            String(c),
            record.best[c] === undefined ? "" : fixed(record.best[c]),
            old.has(c) ? fixed(old.get(c)) : "",
          ),
        ),
    ),
  );
}

function drawVolume() {
  const gens = run.records.map((record) => record.gen),
    line = (name, field, more) => ({
      type: "scatter",
      mode: "lines",
      name,
      x: gens,
      y: run.records.map((record) => record[field]),
      ...more,
    });
  Plotly.react(
    byId("volume-plot"),
    [
      line("best ever found", "archive_hypervolume", { line: { color: colour("slot-a"), width: 2 } }),
      line("F₁ of the generation", "hypervolume", { line: { color: colour("slot-b"), width: 1.5 } }),
    ],
    Plots.layout({
      xaxis: { title: "generation", range: [0, Math.max(1, run.numGens - 1)] },
      yaxis: { title: "hypervolume" },
      uirevision: "volume",
    }),
    Plots.config("hypervolume"),
  );
}

function told() {
  if (run.error) return `The folder cannot be read: ${run.error}`;
  if (run.state === "running") return run.records.length ? "going on" : "beginning; the first generation takes longest";
  if (run.state === "stopped")
    return `stopped after ${counted(run.records.length, "generation")}${run.ended ? ` (${run.ended})` : ""}; it can go on with: mococo resume ${about.path}`;
  return run.ended ? `ended: ${run.ended}` : "all generations are done";
}

function draw() {
  byId("state").textContent = `seed ${about.seed}, ${told()}`;
  byId("progress").max = Math.max(1, run.numGens);
  byId("progress").value = run.records.length;
  byId("tiles").replaceChildren(
    ...tiles().map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
  byId("hint").textContent = run.state === "running" ? "" : `To explore what was found: mococo report ${about.path}`;
  document.title = `${run.records.length}/${run.numGens} ${about.env}: ${about.name}`;
  if (!run.records.length) return;
  drawFront();
  drawVolume();
}

// What comes faster than the screen can show is drawn once.
let due = false;
function soon() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    draw();
  });
}

function listen() {
  byId("heading").textContent = `${about.env}: ${about.name}`;
  byId("generation").addEventListener("input", (event) => {
    const g = Number(event.currentTarget.value);
    run.shown = g >= run.records.length - 1 ? null : g;
    drawFront();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", soon);
  const fit = new ResizeObserver((entries) => {
    for (const { target } of entries) if (target.classList.contains("js-plotly-plot")) Plotly.Plots.resize(target);
  });
  for (const place of document.querySelectorAll(".plot")) fit.observe(place);
  const source = new EventSource("news");
  source.onmessage = (event) => {
    const news = JSON.parse(event.data);
    run.records = [...run.records.slice(0, news.begin), ...news.records];
    Object.assign(run, { numGens: news.num_gens, state: news.state, ended: news.ended, error: news.error });
    if (run.shown !== null && run.shown >= run.records.length) run.shown = null;
    soon();
  };
  source.onerror = () => {
    if (run.state === "running") byId("state").textContent = "mococo watch has ended, so nothing new is seen here";
  };
}

listen();
draw();
