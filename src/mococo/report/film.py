"""Films: pictures with their times as a GIF, as an MP4, or in a window."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path

from mococo.errors import ConfigError, MissingExtra, RunError
from mococo.files import write_atomic
from mococo.report.motion import Shot

FORMATS = (".gif", ".mp4")
_COLOURS = 64  # of a GIF; the environments draw with few


def save(pictures: Iterator[Shot], path: Path) -> None:
    """Write a film, as the name says: .gif, or .mp4 where ffmpeg is installed."""
    check_format(path)
    if path.suffix.lower() == ".gif":
        write_atomic(path, _gif(pictures))
    else:
        _mp4(pictures, path, ffmpeg())


def check_format(path: Path) -> None:
    """Refuse a name or a film that cannot be written, before anything is played."""
    if path.suffix.lower() not in FORMATS:
        raise ConfigError(f"a film is written as {' or '.join(FORMATS)}, got {path.name!r}")
    if path.suffix.lower() == ".mp4":
        ffmpeg()


def _gif(pictures: Iterator[Shot]) -> bytes:
    from PIL import Image

    def frames() -> Iterator[Image.Image]:
        for shot in pictures:
            frame = shot.image.quantize(_COLOURS, dither=Image.Dither.NONE)
            frame.info["duration"] = max(20, round(100 * shot.seconds) * 10)  # in milliseconds; GIFs count hundredths
            yield frame

    drawn = frames()
    data = BytesIO()
    next(drawn).save(data, "GIF", save_all=True, append_images=drawn, loop=0)
    return data.getvalue()


def ffmpeg() -> str:
    """The program that writes films."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise MissingExtra(
            "an .mp4 needs ffmpeg, which is not installed: apt-get install ffmpeg, or pip install imageio-ffmpeg; "
            "a .gif needs nothing"
        ) from None


def _mp4(pictures: Iterator[Shot], path: Path, program: str) -> None:
    """Pipe the pictures into ffmpeg, and put what it wrote in place."""
    first = next(pictures)
    rate = max(1, round(1 / first.seconds)) if not first.moment.last else 30
    size = f"{first.image.width}x{first.image.height}"
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder, "film.mp4")
        words = [program, "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", str(rate),
                 "-i", "-", "-pix_fmt", "yuv420p", "-y", str(draft)]  # fmt: skip
        with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stderr is not None
            try:
                for shot in chain([first], pictures):
                    process.stdin.write(shot.image.tobytes() * max(1, round(shot.seconds * rate)))
                process.stdin.close()
            except BrokenPipeError:
                pass  # it tells why
            told = process.stderr.read().decode("utf-8", "replace").strip()
        if process.returncode:
            raise RunError(f"ffmpeg could not write {path.name}: {told[-300:]}; a .gif needs no ffmpeg")
        write_atomic(path, draft.read_bytes())


def has_display() -> bool:
    """Whether there is a screen to open a window on."""
    if os.environ.get("SDL_VIDEODRIVER") == "dummy":
        return False
    return not sys.platform.startswith("linux") or any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))


def show(pictures: Iterator[Shot], title: str) -> None:
    """Show the pictures in a window, until they end or it is closed."""
    import pygame

    pygame.display.init()
    try:
        window, due = None, pygame.time.get_ticks()
        for shot in pictures:
            if window is None:
                window = pygame.display.set_mode(shot.image.size)
                pygame.display.set_caption(title)
            window.blit(pygame.image.frombuffer(shot.image.tobytes(), shot.image.size, "RGB"), (0, 0))
            pygame.display.flip()
            due += round(1000 * shot.seconds)
            pygame.time.wait(max(0, due - pygame.time.get_ticks()))
            if any(event.type == pygame.QUIT for event in pygame.event.get()):
                return
    finally:
        pygame.display.quit()
