"use strict";
// Which policies are looked at, out of which; all that follows from it is drawn here.

// Look at a policy as A, or as B to compare; null takes B away.
function choose(letter, id) {
  Episode.play(false);
  state[letter] = id;
  if (letter === "a") [state.axes, state.at] = [null, {}];
  draw();
  history.replaceState(null, "", `#a=${state.a}${state.b === null ? "" : `&b=${state.b}`}`);
}

function draw() {
  const most = Math.max(0, policies[state.a].episodes.length - 1);
  state.episode = Math.min(state.episode, most);
  slots.a = Slot.make(state.a, "A");
  slots.b = Slot.make(state.b, "B");
  byId("compare").checked = state.b !== null;
  document.body.classList.toggle("comparing", state.b !== null);
  state.t = 0;
  Scores.draw();
  drawPanels();
}

function drawPanels() {
  Front.draw();
  Episode.draw();
  Rules.draw();
  Sets.draw();
  ActionMap.draw();
  Episode.frame();
}

// What has colours or sizes of its own.
function redraw() {
  if (!slots.a) return;
  for (const slot of both()) slot.tints = Slot.tints(slot.model);
  drawPanels();
}

// Another set of points: A stays where it is still there, or becomes the best of them.
function regather() {
  groups = Front.gathered();
  const ids = groups.flatMap((group) => group.ids);
  const best = groups.reduce((a, b) => (b.performance > (a?.performance ?? -Infinity) ? b : a), null);
  if (best && !ids.includes(state.a)) state.a = best.ids[0];
  if (!ids.includes(state.b)) state.b = null;
}

// The policy that is most worth comparing with A: the next simpler one, or else the next.
function neighbour() {
  const place = Front.groupOf(state.a);
  return groups[place > 0 ? place - 1 : Math.min(1, groups.length - 1)].ids[0];
}

function move(letter, way) {
  const place = clamp(Front.groupOf(state[letter]) + way, 0, groups.length - 1);
  if (groups[place]) choose(letter, groups[place].ids[0]);
}

function drawRunChoice() {
  const box = byId("runs"),
    many = data.runs.length > 1;
  box.hidden = !many;
  if (!many) return;
  const told = () => {
    box.querySelector("summary").textContent = `Runs: ${state.runs.size} of ${data.runs.length}`;
  };
  const set = (runs) => {
    state.runs = new Set(runs);
    for (const input of box.querySelectorAll("input")) input.checked = state.runs.has(Number(input.value));
    told();
    regather();
    draw();
  };
  const one = (run, r) =>
    el(
      "label",
      { class: "check" },
      el("input", {
        type: "checkbox",
        value: r,
        checked: "",
        onchange: (event) => {
          set(event.currentTarget.checked ? [...state.runs, r] : [...state.runs].filter((other) => other !== r));
        },
      }),
      run.name,
    );
  box
    .querySelector("div")
    .replaceChildren(
      el("button", { type: "button", onclick: () => set(data.runs.keys()) }, "all"),
      el("button", { type: "button", onclick: () => set([]) }, "none"),
      ...data.runs.map(one),
    );
  told();
}
