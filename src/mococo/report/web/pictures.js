"use strict";
// Small drawings that follow an episode: fuzzy sets with the input on them, and how true a rule was over time.
const Pictures = (() => {
  // Where names are written so that none touches another: for each its row, given centres and lengths in pixels.
  function rows(centres, lengths) {
    const ends = [];
    return centres.map((centre, i) => {
      let row = ends.findIndex((end) => end + 6 < centre - lengths[i] / 2);
      if (row < 0) row = ends.length;
      ends[row] = centre + lengths[i] / 2;
      return row;
    });
  }

  // The sets of one feature of one policy or of two, the second one's dashed. `follow` moves the inputs.
  function sets(models, f, width, tints, label) {
    const feature = models[0].features[f];
    const half = feature.crisp ? 0.5 : 0;
    const [low, high] = [feature.low - half, feature.high + half];
    const [left, right, line] = [30, 12, 15];
    const across = (x) => left + ((clamp(x, low, high) - low) / (high - low)) * (width - left - right);
    const names = models[0].features[f].names;
    const lengths = names.map((name) => 6.4 * name.length);
    const centres = feature.refs.map((ref, j) => {
      const whole = feature.crisp ? ref : j === 0 ? (low + ref) / 2 : j === names.length - 1 ? (ref + high) / 2 : ref;
      return clamp(
        across(names.length === 1 ? (low + high) / 2 : whole),
        left + lengths[j] / 2,
        width - right - lengths[j] / 2,
      );
    });
    const places = rows(centres, lengths);
    const top = line * (Math.max(...places) + 1) + 6,
      height = top + 122,
      floor = height - 20;
    const up = (truth) => floor - truth * (floor - top);
    const root = svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      class: "sets",
      role: "img",
      "aria-label":
        `${label} Fuzzy sets of ${feature.name}: ` +
        names.map((name, j) => `${name} at ${short(feature.refs[j])}`).join(", "),
    });
    for (const [value, text] of [
      [0, "0"],
      [0.5, ""],
      [1, "1"],
    ]) {
      root.append(
        svg("line", { class: "grid", x1: left, x2: width - right, y1: up(value), y2: up(value) }),
        svg("text", { class: "tick", x: left - 6, y: up(value) + 4, "text-anchor": "end" }, text),
      );
    }
    models.forEach((model, m) =>
      model.features[f].refs.forEach((_, j) =>
        root.append(shape(model.features[f], j, m, tints, across, up, low, high)),
      ),
    );
    names.forEach((name, j) =>
      root.append(
        svg("text", { class: "name", x: centres[j], y: top - 6 - line * places[j], "text-anchor": "middle" }, name),
      ),
    );
    for (const [value, anchor] of [
      [low, "start"],
      [high, "end"],
    ])
      root.append(svg("text", { class: "tick", x: across(value), y: height - 4, "text-anchor": anchor }, short(value)));
    const cursors = models.map((_, m) => svg("g", { class: `cursor ${m ? "other" : ""}` }));
    root.append(...cursors);
    const follow = (m, value, truths) => {
      if (value === null) return cursors[m].replaceChildren();
      const x = across(value);
      const dots = truths.flatMap((truth, j) =>
        truth > 0 ? [svg("circle", { cx: x, cy: up(truth), r: 4.5, fill: tints[j % tints.length] })] : [],
      );
      cursors[m].replaceChildren(svg("line", { x1: x, x2: x, y1: top - 4, y2: floor }), ...dots);
    };
    return { root, follow };
  }

  // A partition is what linear interpolation does: 1 at the set's own coordinate, 0 at its neighbours'.
  function shape(feature, j, m, tints, across, up, low, high) {
    const tint = tints[j % tints.length],
      [before, ref, after] = [feature.refs[j - 1], feature.refs[j], feature.refs[j + 1]];
    const title = svg("title", {}, `${feature.names[j]}: wholly true at ${short(ref)}`);
    const dash = m ? "6 4" : undefined;
    if (feature.crisp)
      return svg(
        "rect",
        {
          x: across(ref - 0.25),
          width: across(ref + 0.25) - across(ref - 0.25),
          y: up(1),
          height: up(0) - up(1),
          fill: tint,
          "fill-opacity": m ? 0 : 0.5,
          stroke: tint,
          "stroke-dasharray": dash,
        },
        title,
      );
    const points = [
      before === undefined ? [low, 1] : [before, 0],
      [ref, 1],
      after === undefined ? [high, 1] : [after, 0],
    ];
    const way = points.map(([x, truth]) => `${across(x).toFixed(1)},${up(truth).toFixed(1)}`).join(" ");
    return svg(
      "g",
      {},
      title,
      m
        ? null
        : svg("polygon", {
            points: `${across(points[0][0])},${up(0)} ${way} ${across(points[2][0])},${up(0)}`,
            fill: tint,
            "fill-opacity": 0.09,
          }),
      svg("polyline", {
        points: way,
        fill: "none",
        stroke: tint,
        "stroke-width": m ? 1.5 : 2,
        "stroke-dasharray": dash,
      }),
    );
  }

  // How true a rule was at each step: pale where it fired, full where it drove. `follow` moves the step.
  function spark(truths, drove, tint, onseek) {
    const [width, height, steps] = [300, 30, Math.max(1, truths.length)];
    const area = (values) =>
      `M0,${height} ${values.map((v, t) => `L${((t / steps) * width).toFixed(2)},${(height - v * (height - 2)).toFixed(2)} H${(((t + 1) / steps) * width).toFixed(2)}`).join(" ")} V${height} Z`;
    const cursor = svg("line", { class: "now", y1: 0, y2: height, "vector-effect": "non-scaling-stroke" });
    const seek = (event) => {
      const box = root.getBoundingClientRect();
      onseek(Math.round(clamp((event.clientX - box.left) / box.width, 0, 1) * truths.length));
    };
    const root = svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        class: "spark",
        preserveAspectRatio: "none",
        "aria-hidden": "true",
        onclick: seek,
      },
      svg("rect", { width, height, class: "back" }),
      svg("path", { d: area(truths), fill: tint, "fill-opacity": 0.3 }),
      svg("path", { d: area(truths.map((truth, t) => (drove[t] ? truth : 0))), fill: tint }),
      cursor,
    );
    const follow = (t) => {
      const x = ((t + 0.5) / steps) * width;
      cursor.setAttribute("x1", Math.min(x, width));
      cursor.setAttribute("x2", Math.min(x, width));
    };
    return { root, follow };
  }

  // A line of one value for each generation.
  function history(values, label) {
    const [width, height] = [300, 80],
      most = Math.max(...values, 1e-9);
    const points = values.map(
      (v, t) =>
        `${(30 + (t / Math.max(1, values.length - 1)) * (width - 40)).toFixed(1)},${(height - 18 - (v / most) * (height - 30)).toFixed(1)}`,
    );
    return svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        class: "history",
        role: "img",
        "aria-label": `${label}, from ${short(values[0])} to ${short(values[values.length - 1])}`,
      },
      svg("path", { class: "axis", d: `M30,6 V${height - 18} H${width - 6}` }),
      svg("polyline", { class: "way", points: points.join(" ") }),
      svg(
        "text",
        { class: "tick", x: width - 6, y: height - 4, "text-anchor": "end" },
        `generation ${values.length - 1}`,
      ),
      svg("text", { class: "tick", x: 30, y: height - 4 }, "0"),
    );
  }

  return { sets, spark, history };
})();
