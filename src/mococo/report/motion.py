"""A controller in motion: Gymnasium's own pictures of an episode, with the firing rule written under each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mococo.analysis.live_episodes import Moment, made, moments
from mococo.analysis.trajectories import NOBODY
from mococo.errors import ConfigError, EnvironmentSpecError, MissingExtra
from mococo.evaluation import check_seed
from mococo.policy import Policy

if TYPE_CHECKING:
    from PIL.Image import Image

_TEXT, _MARGIN = 15, 10
_INK, _PAPER, _MUTED = (34, 34, 34), (255, 255, 255), (102, 102, 102)
_LINGER = 1.0  # seconds that the last picture of an episode stays


@dataclass(frozen=True, eq=False)
class Shot:
    """A picture with its caption, and the moment that it shows."""

    image: Image
    moment: Moment
    episode: int
    seconds: float
    """How long it is to be seen."""


def shots(policy: Policy, env_id: str, episodes: int, seed: int) -> Iterator[Shot]:
    """The pictures of some episodes, each from a reset with the next seed."""
    if episodes < 1:
        raise ConfigError(f"episodes must be at least 1, got {episodes}")
    check_seed(seed)
    _pillow()
    env = made(env_id, render_mode="rgb_array")
    try:
        _check_fits(policy, env, env_id)
        pace = 1 / float(env.metadata.get("render_fps") or 30)
        caption = _Captions(policy)
        for episode in range(episodes):
            for moment in moments(policy, env, seed + episode):
                image = caption.under(_picture(env, env_id), moment, episode + 1)
                yield Shot(image, moment, episode, _LINGER if moment.last else pace)
    finally:
        env.close()


def _check_fits(policy: Policy, env: Any, env_id: str) -> None:
    """Refuse a policy that cannot act in an environment."""
    shape = env.observation_space.shape
    given = sum(1 for feature in policy.features if not feature.terms)
    if shape is None or int(np.prod(shape)) != given:
        told = "something else than numbers" if shape is None else f"{int(np.prod(shape))} numbers"
        names = ", ".join(feature.name for feature in policy.features if not feature.terms)
        raise EnvironmentSpecError(f"{env_id} gives {told} to a policy, but this policy looks at {given} ({names})")
    for action in policy.actions if not policy.continuous else ():
        value = action.value
        if hasattr(env.action_space, "n") and not env.action_space.contains(value):
            raise EnvironmentSpecError(f"{env_id} does not take the action {value!r}, which this policy has")


def _picture(env: Any, env_id: str) -> Any:
    import gymnasium

    try:
        picture = env.render()
    except gymnasium.error.DependencyNotInstalled as error:
        raise MissingExtra(f"{env_id} is drawn by a library that is not installed: {error}") from None
    if not isinstance(picture, np.ndarray) or picture.ndim != 3:
        raise EnvironmentSpecError(f"{env_id} draws no pictures (render_mode rgb_array), so it cannot be shown")
    return picture


class _Captions:
    """Writes below a picture: which rule drives, what it says, and how the episode stands."""

    def __init__(self, policy: Policy) -> None:
        from PIL import ImageFont

        self._rules = [rule.text for rule in policy.rules]
        self._font = ImageFont.load_default(_TEXT)

    def under(self, picture: Any, moment: Moment, episode: int) -> Image:
        """The picture with the words of this moment; pictures of one width all become equally high."""
        from PIL import Image, ImageDraw

        height, width = picture.shape[:2]
        lines = max(len(self._wrapped(self._words(r), width)) for r in range(len(self._rules)))
        total = height + 2 * _MARGIN + (_TEXT + 5) * (lines + 1)
        image = Image.new("RGB", (width + width % 2, total + total % 2), _PAPER)  # films want even sizes
        image.paste(Image.fromarray(np.ascontiguousarray(picture[:, :, :3], dtype=np.uint8)), (0, 0))
        draw = ImageDraw.Draw(image)
        head = f"Episode {episode}, step {moment.step}, return {moment.total:.6g}"
        draw.text((_MARGIN, height + _MARGIN), head, fill=_MUTED, font=self._font)
        for n, line in enumerate(self._wrapped(self._told(moment), width), 1):
            draw.text((_MARGIN, height + _MARGIN + n * (_TEXT + 5)), line, fill=_INK, font=self._font)
        return image

    def _told(self, moment: Moment) -> str:
        if moment.uncovered:
            return "No rule fires here, so the policy has no action."
        if moment.last:
            return "The episode has ended." if moment.ended else "The step limit is reached."
        return self._words(int(moment.firing.drivers[0]), moment.firing.truths[0])

    def _words(self, rule: int, truths: Any = None) -> str:
        assert rule != NOBODY
        return f"Rule {rule + 1} ({1.0 if truths is None else truths[rule]:.2f}): {self._rules[rule]}"

    def _wrapped(self, text: str, width: int) -> list[str]:
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self._font.getlength(longer) <= width - 2 * _MARGIN:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines


def _pillow() -> None:
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        raise MissingExtra("films need Pillow and pygame, which are not installed: pip install mococo[play]") from None
