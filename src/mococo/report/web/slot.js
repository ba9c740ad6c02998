"use strict";
// A policy that is looked at: its model, its colours, and its episodes with what it saw of each state.
const Slot = (() => {
  function decoded(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return Array.from(data.double ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer));
  }

  function inputs(model, episode) {
    const numbers = decoded(episode.seen),
      d = model.observed.length;
    return Array.from({ length: episode.steps + 1 }, (_, t) => Fuzzy.whole(model, numbers.slice(t * d, (t + 1) * d)));
  }

  function make(id, letter) {
    if (id === null) return null;
    const policy = policies[id],
      model = Fuzzy.model(policy.record);
    const episodes = policy.episodes.map((episode) => ({ ...episode, inputs: inputs(model, episode) }));
    return {
      policy,
      model,
      episodes,
      letter,
      tint: `slot-${letter.toLowerCase()}`,
      tints: tints(model),
      cards: [],
      firing: [],
      episode: state.episode,
    };
  }

  // A colour for each action; levels of one quantity have those of the map.
  function tints(model) {
    const n = model.actions.length;
    if (n <= data.colours.length - 1 && !model.record.continuous) return data.colours.slice(0, n);
    const values = model.record.continuous
      ? model.actions.map((action) => Number(action.value))
      : [...model.actions.keys()];
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return values.map((value) => hex(MapPlot.ramp((value - least) / (most - least || 1))));
  }

  // A step's words on a colour.
  const onTint = (tint) => (light(tint) > 0.2 ? "#111" : "#fff");

  return { make, inputs, tints, onTint };
})();
