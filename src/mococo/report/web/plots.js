"use strict";
// What all of Plotly's plots here share, and the front. Zoom, hover and download are its own.
const Plots = (() => {
  const MARKERS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x"];
  const NAME = "mococo";

  // Plotly takes text for a small markup of its own.
  const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  function layout(more) {
    const axis = {
      gridcolor: colour("line"),
      zeroline: false,
      linecolor: colour("line"),
      automargin: true,
      title: { standoff: 8 },
    };
    const text = { color: colour("ink"), family: "system-ui, sans-serif", size: 12 };
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: text,
      margin: { l: 56, r: 12, t: 10, b: 44 },
      hovermode: "closest",
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
      hoverlabel: {
        align: "left",
        bgcolor: colour("raised"),
        bordercolor: colour("line"),
        font: { color: colour("ink"), size: 12 },
      },
      ...more,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: 12 }, ...more.legend },
      xaxis: { ...axis, ...more.xaxis, title: { ...axis.title, text: plain(more.xaxis.title) } },
      yaxis: { ...axis, ...more.yaxis, title: { ...axis.title, text: plain(more.yaxis.title) } },
    };
  }

  const config = (name) => ({
    displaylogo: false,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
    toImageButtonOptions: { filename: `${NAME}-${name}`, scale: 2 },
  });

  // groups: equal solutions together, as in front.js; looks: a colour and a place among the markers for each tag.
  function front(place, groups, looks, chosen, near, onchoose) {
    const [across, up] = ranges(groups, near);
    const traces = [edge(groups)];
    for (const [tag, look] of looks) {
      const mine = groups.filter((group) => group.tag === tag);
      if (!mine.length) continue;
      traces.push({
        type: "scatter",
        mode: "markers",
        name: plain(tag),
        x: mine.map((g) => g.complexity),
        y: mine.map((g) => g.performance),
        customdata: mine.map((g) => g.key),
        text: mine.map(told),
        hovertemplate: "%{text}<extra></extra>",
        marker: {
          color: look.colour,
          symbol: MARKERS[look.place % MARKERS.length],
          size: mine.map((g) => 9 + 3 * Math.log2(g.count)),
          opacity: 0.8,
          line: { color: colour("paper"), width: 1 },
        },
      });
    }
    traces.push({
      type: "scatter",
      mode: "markers",
      name: "fresh, 95 %",
      visible: groups.length > 60 ? "legendonly" : true,
      x: groups.map((g) => g.complexity),
      y: groups.map((g) => g.fresh),
      customdata: groups.map((g) => g.key),
      text: groups.map(told),
      hovertemplate: "%{text}<extra></extra>",
      marker: { color: colour("paper"), size: 7, line: { color: colour("muted"), width: 1.5 } },
      error_y: {
        type: "data",
        symmetric: false,
        color: colour("muted"),
        thickness: 1.2,
        width: 3,
        array: groups.map((g) => g.interval[1] - g.fresh),
        arrayminus: groups.map((g) => g.fresh - g.interval[0]),
      },
    });
    for (const [letter, group] of chosen) {
      traces.push({
        type: "scatter",
        mode: "markers+text",
        showlegend: false,
        hoverinfo: "skip",
        x: [group.complexity],
        y: [group.performance],
        text: [`<b>${letter}</b>`],
        textposition: letter === "A" ? "top center" : "bottom center",
        cliponaxis: false,
        textfont: { color: colour(`slot-${letter.toLowerCase()}`), size: 15 },
        marker: {
          size: 22,
          color: "rgba(0,0,0,0)",
          line: { color: colour(`slot-${letter.toLowerCase()}`), width: 2.5 },
        },
      });
    }
    const few = groups.length && groups[groups.length - 1].complexity < 30;
    const axes = {
      xaxis: { title: "complexity (decision points)", dtick: few ? 1 : undefined, range: across },
      yaxis: { title: "mean return", range: up },
      margin: { l: 60, r: 18, t: 10, b: 44 },
      legend: { entrywidth: Math.max(78, 40 + 7.5 * Math.max(...[...looks.keys()].map((tag) => tag.length))) },
      uirevision: `${near} ${across} ${up}`, // as long as it is the same, a zoom of the user's stays
    };
    Plotly.react(place, traces, layout(axes), config("front"));
    if (!place.dataset.listens) {
      place.dataset.listens = "yes";
      place.on("plotly_click", (event) => {
        const key = event.points.map((point) => point.customdata).find((value) => value !== undefined);
        if (key !== undefined) onchoose(key, event.event?.shiftKey);
      });
    }
  }

  // What the front's axes reach over: all points with their intervals, or the best tenth from near. It does not depend
  // on what is chosen, so that nothing moves under the pointer.
  function ranges(groups, near) {
    if (!groups.length) return [undefined, undefined];
    const values = groups.map((group) => group.performance),
      [worst, best] = [Math.min(...values), Math.max(...values)];
    const seen = near ? groups.filter((group) => group.performance >= best - 0.1 * (best - worst)) : groups;
    const ends = seen.flatMap((group) => (near ? [group.performance] : [group.performance, ...group.interval]));
    const [low, high] = [Math.min(...ends), Math.max(...ends)],
      margin = 0.08 * (high - low) || 1;
    return [
      [seen[0].complexity - 0.6, seen[seen.length - 1].complexity + 0.6],
      [low - margin, high + 1.5 * margin],
    ];
  }

  const told = (g) =>
    `complexity ${g.complexity}, ${plain(g.tag)}<br>training ${fixed(g.performance)}<br>fresh ${fixed(g.fresh)} (${fixed(g.interval[0])} to ${fixed(g.interval[1])})` +
    (g.count > 1 ? `<br>${g.count} identical solutions` : "");

  // What is best up to each complexity.
  function edge(groups) {
    const [x, y] = [[], []];
    let best = -Infinity;
    for (const group of groups)
      if (group.performance > best) {
        best = group.performance;
        x.push(group.complexity);
        y.push(best);
      }
    return {
      type: "scatter",
      mode: "lines",
      name: "front",
      showlegend: false,
      hoverinfo: "skip",
      x,
      y,
      line: { shape: "hv", color: colour("muted"), width: 1.2, dash: "dot" },
    };
  }

  return { layout, config, plain, front };
})();
