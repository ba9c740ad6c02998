"use strict";
// What an environment looks like in a state, drawn from what the policy observes of it. Each scene makes its elements
// once and is then told the observation, the action's value (or null), and the action's colour.
const Scenes = (() => {
  const line = (points) => points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" ");
  const degrees = (radians) => (radians * 180) / Math.PI;

  function arrow() {
    const shape = svg("path", { class: "push" });
    // A push of so many pixels to the right from a point.
    const show = (x, y, length, tint) => {
      const way = Math.sign(length),
        tip = x + length,
        head = Math.min(9, Math.abs(length)) * way;
      shape.setAttribute(
        "d",
        way
          ? `M${x},${y - 4} L${tip - head},${y - 4} L${tip - head},${y - 10} L${tip},${y} ` +
              `L${tip - head},${y + 10} L${tip - head},${y + 4} L${x},${y + 4} Z`
          : "",
      );
      shape.setAttribute("fill", tint);
    };
    return { shape, show };
  }

  // A torque as an arc with a tip; positive turns against the clock.
  function turn() {
    const shape = svg("path", { class: "turn", fill: "none" });
    const show = (x, y, torque, tint) => {
      const r = 24,
        span = Math.min(2.6, 0.6 + 0.9 * Math.abs(torque)),
        way = Math.sign(torque);
      if (!way) return shape.setAttribute("d", "");
      const from = -Math.PI / 2 + (way * span) / 2,
        to = -Math.PI / 2 - (way * span) / 2;
      const at = (angle, radius) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
      const [a, b] = [at(from, r), at(to, r)];
      const back = to + way * 0.3;
      const [c, d] = [at(back, r - 6), at(back, r + 6)];
      shape.setAttribute(
        "d",
        `M${line([a])} A${r},${r} 0 0 ${way > 0 ? 0 : 1} ${line([b])} M${line([c])} L${line([b])} L${line([d])}`,
      );
      shape.setAttribute("stroke", tint);
    };
    return { shape, show };
  }

  function car() {
    const [width, height] = [600, 250];
    const across = (x) => ((x + 1.2) / 1.8) * (width - 40) + 20;
    const up = (x) => height - 34 - (Math.sin(3 * x) + 1) * 78;
    const hill = Array.from({ length: 181 }, (_, i) => -1.2 + i / 100).map((x) => [across(x), up(x)]);
    const body = svg(
      "g",
      { class: "body" },
      svg("rect", { x: -19, y: -21, width: 38, height: 12, rx: 3 }),
      svg("rect", { x: -10, y: -29, width: 20, height: 10, rx: 3 }),
      svg("circle", { cx: -11, cy: -7, r: 6.5, class: "wheel" }),
      svg("circle", { cx: 11, cy: -7, r: 6.5, class: "wheel" }),
    );
    const push = arrow();
    const goal = [across(0.5), up(0.5)];
    const parts = [
      svg("polygon", {
        class: "ground",
        points: `0,${height} ${line([[0, hill[0][1]], ...hill, [width, hill[180][1]]])} ${width},${height}`,
      }),
      svg("path", { class: "flag", d: `M${goal} v-44 l20,8 l-20,8` }),
      push.shape,
      body,
    ];
    const draw = ([x], action, tint, discrete) => {
      const [cx, cy] = [across(x), up(x)];
      body.setAttribute(
        "transform",
        `translate(${cx.toFixed(3)},${cy.toFixed(3)}) rotate(${degrees(-Math.atan((Math.cos(3 * x) * 3 * 78) / ((width - 40) / 1.8))).toFixed(3)})`,
      );
      push.show(cx, cy - 44, action === null ? 0 : 46 * (discrete ? action - 1 : action), tint);
    };
    return {
      width,
      height,
      parts,
      draw,
      about:
        "A car in a valley, to be brought to the flag. Its motor is weaker than the steepest slope, so it has to swing to gather speed.",
    };
  }

  function pole() {
    const [width, height, floor, length] = [600, 250, 205, 130];
    const across = (x) => width / 2 + (x / 2.4) * (width / 2 - 50);
    const rod = svg("line", { class: "rod", x1: 0, y1: 0, x2: 0, y2: -length });
    const limits = [-12, 12].map((angle) =>
      svg("line", { class: "limit", x1: 0, y1: 0, x2: 0, y2: -length, transform: `rotate(${angle})` }),
    );
    const cart = svg(
      "g",
      { class: "body" },
      limits,
      svg("rect", { x: -32, y: -11, width: 64, height: 22, rx: 3 }),
      rod,
      svg("circle", { r: 4.5, class: "joint" }),
    );
    const push = arrow();
    const parts = [
      svg("line", { class: "track", x1: across(-2.4), x2: across(2.4), y1: floor + 12, y2: floor + 12 }),
      [-2.4, 2.4].map((x) =>
        svg("line", { class: "limit", x1: across(x), x2: across(x), y1: floor - 40, y2: floor + 12 }),
      ),
      push.shape,
      cart,
    ];
    const draw = ([x, , theta], action, tint) => {
      cart.setAttribute("transform", `translate(${across(x).toFixed(3)},${floor})`);
      rod.setAttribute("transform", `rotate(${degrees(theta).toFixed(3)})`);
      push.show(across(x) + (action ? 34 : -34), floor, action === null ? 0 : 42 * (2 * action - 1), tint);
    };
    return {
      width,
      height,
      parts,
      draw,
      about: "A pole on a cart, to be kept up; thin lines are where the episode ends.",
    };
  }

  function links() {
    const [width, height, unit, x0, y0] = [600, 270, 58, 300, 138];
    const upper = svg("line", { class: "link" }),
      lower = svg("line", { class: "link second" });
    const joint = svg("circle", { r: 5, class: "joint" }),
      torque = turn();
    const parts = [
      svg("line", { class: "goal", x1: x0 - 190, x2: x0 + 190, y1: y0 - unit, y2: y0 - unit }),
      svg(
        "text",
        { class: "note", x: x0 + 190, y: y0 - unit - 6, "text-anchor": "end" },
        "the tip has to come above this line",
      ),
      lower,
      upper,
      svg("circle", { cx: x0, cy: y0, r: 6, class: "joint" }),
      joint,
      torque.shape,
    ];
    const place = (shape, a, b) =>
      Object.entries({ x1: a[0], y1: a[1], x2: b[0], y2: b[1] }).forEach(([name, v]) =>
        shape.setAttribute(name, v.toFixed(3)),
      );
    const draw = ([c1, s1, c2, s2], action, tint, discrete) => {
      const elbow = [x0 + unit * s1, y0 + unit * c1];
      const tip = [elbow[0] + unit * (s1 * c2 + c1 * s2), elbow[1] + unit * (c1 * c2 - s1 * s2)];
      place(upper, [x0, y0], elbow);
      place(lower, elbow, tip);
      joint.setAttribute("cx", elbow[0]);
      joint.setAttribute("cy", elbow[1]);
      torque.show(...elbow, action === null ? 0 : discrete ? action - 1 : action, tint);
    };
    return { width, height, parts, draw, about: "Two links that hang from a fixed joint; the motor is at the elbow." };
  }

  function pendulum() {
    const [width, height, length, x0, y0] = [600, 270, 105, 300, 135];
    const rod = svg("line", { class: "link", x1: x0, y1: y0 }),
      bob = svg("circle", { r: 11, class: "bob" }),
      torque = turn();
    const parts = [
      svg("line", { class: "limit", x1: x0, x2: x0, y1: y0, y2: y0 - length - 14 }),
      torque.shape,
      rod,
      bob,
      svg("circle", { cx: x0, cy: y0, r: 6, class: "joint" }),
    ];
    const draw = ([cos, sin], action, tint) => {
      const [x, y] = [x0 - length * sin, y0 - length * cos];
      for (const [name, value] of [
        ["x2", x],
        ["y2", y],
      ])
        rod.setAttribute(name, value.toFixed(3));
      for (const [name, value] of [
        ["cx", x],
        ["cy", y],
      ])
        bob.setAttribute(name, value.toFixed(3));
      torque.show(x0, y0, action ?? 0, tint);
    };
    return { width, height, parts, draw, about: "A pendulum; the thin line is upright, where it should come to rest." };
  }

  // For every other environment: the way through two of the features.
  function phase(model, episodes) {
    const [width, height] = [600, 250];
    const [x, y] = [...model.used, ...model.features.keys()].filter((f, i, all) => all.indexOf(f) === i);
    const ends = (f) => {
      const seen = episodes.flatMap((episode) => episode.inputs.map((input) => input[f]));
      const low = Math.min(...seen),
        high = Math.max(...seen);
      return [low, high > low ? high : low + 1];
    };
    const second = y ?? x;
    const [[left, right], [bottom, top]] = [ends(x), ends(second)];
    const point = (input) => [
      60 + ((input[x] - left) / (right - left)) * (width - 90),
      height - 40 - ((input[second] - bottom) / (top - bottom)) * (height - 70),
    ];
    const way = svg("polyline", { class: "way" }),
      trail = svg("polyline", { class: "trail" }),
      dot = svg("circle", { r: 7, class: "bob" });
    const name = (f) => model.features[f].name;
    const parts = [
      svg("path", { class: "axis", d: `M60,24 V${height - 34} H${width - 24}` }),
      way,
      trail,
      dot,
      svg(
        "text",
        { class: "note", x: width - 26, y: height - 14, "text-anchor": "end" },
        `${name(x)}: ${short(left)} to ${short(right)}`,
      ),
      svg("text", { class: "note", x: 64, y: 18 }, `${name(second)}: ${short(bottom)} to ${short(top)}`),
    ];
    const draw = (input, action, tint, discrete, episode, t) => {
      way.setAttribute("points", line(episode.inputs.map(point)));
      trail.setAttribute("points", line(episode.inputs.slice(0, t + 1).map(point)));
      const [cx, cy] = point(episode.inputs[t]);
      dot.setAttribute("cx", cx.toFixed(3));
      dot.setAttribute("cy", cy.toFixed(3));
      dot.setAttribute("fill", tint);
    };
    return { width, height, parts, draw, about: `The way of the episode through ${name(x)} and ${name(second)}.` };
  }

  const DRAWN = { car: [car, 2], pole: [pole, 4], links: [links, 6], pendulum: [pendulum, 3] };

  // A scene in an <svg> of its own: {root, show(episode, t, action, tint)}.
  function make(kind, model, episodes, label) {
    const [maker, observed] = DRAWN[kind] ?? [null, 0];
    const scene = maker && model.observed.length === observed ? maker() : phase(model, episodes);
    const root = svg(
      "svg",
      {
        viewBox: `0 0 ${scene.width} ${scene.height}`,
        class: "scene",
        role: "img",
        "aria-label": `${label}. ${scene.about}`,
      },
      scene.parts,
    );
    const show = (episode, t, action, tint) => {
      scene.draw(episode.inputs[t], action, tint, !model.record.continuous, episode, t);
      root.dataset.step = t;
    };
    return { root, show, about: scene.about };
  }

  return { make };
})();
