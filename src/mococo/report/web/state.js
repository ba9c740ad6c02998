"use strict";
// What all panels of the explorer share: the data, and which policies are looked at (A, and B to compare), at which
// step of which episode. Each panel is a script of its own that draws what stands here; choosing.js changes it.
const data = JSON.parse(byId("data").textContent);
const policies = data.policies.map((policy, id) => ({
  ...policy,
  id,
  complexity: policy.record.complexity,
  tag: policy.record.tag.join("x"),
}));
const tags = [...new Set(policies.map((policy) => policy.tag))].sort(
  (a, b) => a.length - b.length || sum(a) - sum(b) || (a < b ? -1 : 1),
);
const looks = new Map(tags.map((tag, place) => [tag, { colour: data.colours[place % data.colours.length], place }]));
const state = {
  a: data.best,
  b: null,
  shown: "archive",
  runs: new Set(data.runs.keys()),
  episode: 0,
  t: 0,
  playing: false,
  speed: 1,
  axes: null,
  at: {},
  near: false,
  alone: null,
};
const slots = { a: null, b: null };
let groups = [];

const both = () => [slots.a, slots.b].filter(Boolean);
const episodeOf = (slot) => slot.episodes[state.episode];
const longest = () => Math.max(0, ...both().map((slot) => episodeOf(slot)?.steps ?? 0));
const title = (slot) =>
  `${slot.letter}: complexity ${slot.policy.complexity}, mean return ${fixed(slot.policy.performance)}`;

function sum(tag) {
  return tag.split("x").reduce((total, m) => total + Number(m), 0);
}
