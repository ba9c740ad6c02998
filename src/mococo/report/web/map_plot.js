"use strict";
// The map of a policy over two features, one of Plotly's plots.
const MapPlot = (() => {
  const CELLS = 300;
  const PROBES = 90;
  const { plain } = Plots;

  // The colour of each cell: its action's, or that of its output; hatched where no rule fires; dark at borders.
  function picture(model, grid, tints) {
    const canvas = el("canvas", { width: grid.n, height: grid.n }),
      context = canvas.getContext("2d");
    const image = context.createImageData(grid.n, grid.n),
      [paper, ink, hatch] = ["paper", "ink", "muted"].map((name) => rgb(colour(name)));
    const inks = tints.map(rgb),
      values = model.actions.map((action) => Number(action.value)),
      [least, most] = [Math.min(...values), Math.max(...values)];
    for (let j = 0; j < grid.n; j++) {
      for (let i = 0; i < grid.n; i++) {
        const at = j * grid.n + i,
          driver = grid.drivers[at];
        let shade;
        if (driver === Fuzzy.NOBODY) shade = (i + j) % 10 < 2 ? mixed(hatch, paper, 0.7) : paper;
        else if (model.record.continuous)
          shade = mixed(ramp((grid.outputs[at] - least) / (most - least || 1)), paper, 0.8);
        else shade = mixed(inks[grid.choices[at]], paper, 0.42);
        const border =
          (i + 1 < grid.n && grid.drivers[at + 1] !== driver) ||
          (j + 1 < grid.n && grid.drivers[at + grid.n] !== driver);
        if (border) shade = mixed(ink, shade, 0.65);
        image.data.set([...shade, 255], 4 * ((grid.n - 1 - j) * grid.n + i));
      }
    }
    context.putImageData(image, 0, 0);
    return canvas.toDataURL();
  }

  const STOPS = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"].map(rgb);
  // Without the end that is hard to see on the paper.
  function ramp(share) {
    const dark = light(colour("paper")) < 0.2;
    const place = ((dark ? 0.25 : 0) + (dark ? 0.75 : 0.9) * clamp(share, 0, 1)) * (STOPS.length - 1),
      i = Math.min(STOPS.length - 2, Math.floor(place));
    return mixed(STOPS[i + 1], STOPS[i], place - i);
  }

  // The inmost cell of every region that a rule drives, of those that are large enough to be told apart.
  function middles(model, axes, spans, rest) {
    const n = 60,
      grid = Fuzzy.grid(model, axes, spans, rest, n),
      seen = new Uint8Array(n * n),
      found = [];
    const near = (at) =>
      [at % n ? at - 1 : -1, at % n < n - 1 ? at + 1 : -1, at - n, at + n].map((other) => (other < n * n ? other : -1));
    const inside = new Int16Array(n * n);
    for (let depth = 1, changed = true; changed; depth++) {
      changed = false;
      for (let at = 0; at < n * n; at++) {
        if (
          inside[at] === depth - 1 &&
          near(at).every(
            (other) => other >= 0 && grid.drivers[other] === grid.drivers[at] && inside[other] >= depth - 1,
          )
        )
          [inside[at], changed] = [depth, true];
      }
    }
    for (let start = 0; start < n * n; start++) {
      if (seen[start]) continue;
      const region = [start],
        driver = grid.drivers[start];
      seen[start] = 1;
      for (const at of region)
        for (const other of near(at))
          if (other >= 0 && !seen[other] && grid.drivers[other] === driver) {
            seen[other] = 1;
            region.push(other);
          }
      const best = region.reduce((a, b) => (inside[b] > inside[a] ? b : a));
      const same = region.filter((at) => inside[at] === inside[best]),
        mean = (part) => same.reduce((sum, at) => sum + part(at), 0) / same.length;
      const [mx, my] = [mean((at) => at % n), mean((at) => Math.floor(at / n))];
      const middle = same.reduce((a, b) =>
        Math.hypot((b % n) - mx, Math.floor(b / n) - my) < Math.hypot((a % n) - mx, Math.floor(a / n) - my) ? b : a,
      );
      if (driver !== Fuzzy.NOBODY && region.length > 25)
        found.push({ driver, x: grid.xs[middle % n], y: grid.ys[Math.floor(middle / n)] });
    }
    return found;
  }

  // A policy over two features, with the ways of its episodes, and dotted that of an action alone; `rest` holds the
  // values of all other features.
  function draw(place, model, axes, rest, episodes, tints, slot, alone) {
    const [x, y] = axes,
      spans = axes.map((f) => span(model, f, alone ? [...episodes, alone] : episodes));
    const wide = Fuzzy.grid(model, axes, spans, rest, model.features.length > 3 ? 200 : CELLS),
      coarse = Fuzzy.grid(model, axes, spans, rest, PROBES);
    const words = (at) =>
      coarse.drivers[at] === Fuzzy.NOBODY
        ? "no rule fires"
        : `rule ${coarse.drivers[at] + 1} drives: ` +
          (model.record.continuous ? short(coarse.outputs[at]) : plain(model.actions[coarse.choices[at]].words));
    const table = (of) => coarse.ys.map((_, j) => coarse.xs.map((__, i) => of(j * PROBES + i)));
    const traces = [
      {
        type: "heatmap",
        x: coarse.xs,
        y: coarse.ys,
        z: table((at) => coarse.drivers[at]),
        text: table(words),
        opacity: 0,
        showscale: false,
        hovertemplate: `${plain(model.features[x].name)} %{x:.3g}<br>${plain(model.features[y].name)} %{y:.3g}<br>%{text}<extra></extra>`,
      },
    ];
    episodes.forEach((episode, e) => {
      const [xs, ys] = axes.map((f) => episode.inputs.map((input) => input[f])),
        last = xs.length - 1;
      traces.push({
        type: "scatter",
        mode: "lines",
        x: xs,
        y: ys,
        hoverinfo: "skip",
        showlegend: false,
        line: { color: colour("ink"), width: e === slot.episode ? 2.2 : 1 },
        opacity: e === slot.episode ? 0.95 : 0.5,
      });
      traces.push({
        type: "scatter",
        mode: "markers",
        x: [xs[0], xs[last]],
        y: [ys[0], ys[last]],
        hoverinfo: "skip",
        showlegend: false,
        marker: { size: 7, symbol: ["circle-open", episode.uncovered ? "x" : "circle"], color: colour("ink") },
        cliponaxis: false,
      });
    });
    if (alone)
      traces.push({
        type: "scatter",
        mode: "lines",
        x: alone.inputs.map((input) => input[x]),
        y: alone.inputs.map((input) => input[y]),
        name: `always ${plain(alone.words)}`,
        hovertemplate: `always ${plain(alone.words)}<extra></extra>`,
        showlegend: false,
        line: { color: colour("slot-a"), width: 2, dash: "dot" },
      });
    const numbers = middles(model, axes, spans, rest).map(({ driver, x: left, y: up }) => ({
      x: left,
      y: up,
      text: String(driver + 1),
      showarrow: false,
      bgcolor: colour("paper"),
      bordercolor: colour("ink"),
      borderwidth: 1,
      borderpad: 2,
      font: { size: 12, color: colour("ink") },
    }));
    const range = (f, s) => [spans[s][0], spans[s][1]];
    Plotly.react(
      place,
      traces,
      Plots.layout({
        xaxis: { title: model.features[x].name, range: range(x, 0), showgrid: false },
        yaxis: { title: model.features[y].name, range: range(y, 1), showgrid: false },
        annotations: numbers,
        images: [
          {
            source: picture(model, wide, tints),
            xref: "x",
            yref: "y",
            x: spans[0][0],
            y: spans[1][1],
            sizex: spans[0][1] - spans[0][0],
            sizey: spans[1][1] - spans[1][0],
            sizing: "stretch",
            layer: "below",
          },
        ],
      }),
      Plots.config("map"),
    );
    return wide;
  }

  // The feature's domain, and the episodes' inputs where they leave it.
  function span(model, f, episodes) {
    let { low, high } = model.features[f];
    for (const episode of episodes)
      for (const input of episode.inputs) [low, high] = [Math.min(low, input[f]), Math.max(high, input[f])];
    return [low, high];
  }

  // Where the episode is, on a layer above the plot: to draw the plot anew for every step would take too long.
  function moveDot(place, tint, x, y) {
    const layer = place.nextElementSibling,
      area = place.querySelector(".nsewdrag");
    if (!area) return layer.replaceChildren();
    const [left, top, width, height] = ["x", "y", "width", "height"].map((name) => Number(area.getAttribute(name)));
    const share = (axis, value) => (value - axis.range[0]) / (axis.range[1] - axis.range[0]);
    const [right, up] = [share(place.layout.xaxis, x), share(place.layout.yaxis, y)];
    if (right < 0 || right > 1 || up < 0 || up > 1) return layer.replaceChildren();
    layer.replaceChildren(
      svg("circle", {
        cx: (left + right * width).toFixed(2),
        cy: (top + (1 - up) * height).toFixed(2),
        r: 8,
        class: tint,
      }),
    );
  }

  return { draw, moveDot, ramp };
})();
