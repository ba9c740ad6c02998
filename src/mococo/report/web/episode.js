"use strict";
// The episode: its scenes, and the clock that takes all panels from step to step.
const Episode = (() => {
  const BASE = 30; // steps a second at speed 1
  let clock = null;

  function draw() {
    const list = both(),
      played = list.some((slot) => slot.episodes.length);
    byId("episode-title").textContent = slots.b
      ? "A and B from the same start"
      : `Policy A: complexity ${slots.a.policy.complexity}, mean return ${fixed(slots.a.policy.performance)}`;
    byId("player").hidden = !played;
    byId("note").hidden = !data.note;
    byId("note").textContent = data.note;
    for (const slot of list) {
      const episode = episodeOf(slot);
      slot.firing = episode
        ? episode.inputs.slice(0, episode.steps).map((input) => Fuzzy.infer(slot.model, input))
        : [];
      slot.scene = episode ? Scenes.make(data.scene, slot.model, slot.episodes, `Policy ${slot.letter}`) : null;
    }
    byId("scenes").replaceChildren(
      ...list
        .filter((slot) => slot.scene)
        .map((slot) =>
          el("figure", { class: slot.tint }, slots.b ? el("figcaption", {}, title(slot)) : null, slot.scene.root),
        ),
    );
    byId("start").replaceChildren(
      ...slots.a.episodes.map((episode, e) =>
        el(
          "option",
          { value: e, selected: e === state.episode ? "" : undefined },
          `${e + 1}: ${counted(episode.steps, "step")}`,
        ),
      ),
    );
    byId("step").max = longest();
    byId("about").textContent = list.find((slot) => slot.scene)?.scene.about ?? "";
    Story.draw();
  }

  function follow(slot, t) {
    const firing = slot.firing[t],
      tint = firing ? slot.tints[firing.choice] : colour("muted");
    const value = !firing
      ? null
      : slot.model.record.continuous
        ? Fuzzy.mean(slot.model, firing.strengths)
        : slot.model.actions[firing.choice].value;
    slot.scene.show(episodeOf(slot), t, value, tint);
  }

  // Everything that depends on the step.
  function frame() {
    const t = Math.floor(state.t);
    for (const slot of both()) {
      const episode = episodeOf(slot);
      if (!episode) continue;
      const at = Math.min(t, episode.steps);
      follow(slot, at);
      for (const panel of [Rules, ActionMap, Story]) panel.follow(slot, at);
    }
    Sets.follow(t);
    byId("step").value = t;
    byId("step-told").textContent = `step ${t} of ${longest()}`;
  }

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

  return { draw, frame, play, seek };
})();
