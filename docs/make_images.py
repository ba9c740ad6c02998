"""The README's images, from a reproduction of the paper and a run like the demo's: make docs-images.

It goes on with what is in build/ already.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

from mococo.cli.main import main as mococo

HERE = Path(__file__).parent
IMAGES = HERE / "images"
BUILD = HERE.parent / "build"
STUDY, RUN = BUILD / "gecco21", BUILD / "demo-run"
FIGURES = ("front", "map")
STEP = 20  # of the episode that the explorer shows
DOWN_TO_THE_MAP = """() => {
    const end = document.getElementById("map").getBoundingClientRect().bottom + scrollY;
    return { x: 0, y: 0, width: innerWidth, height: end + 14 };
}"""


def main() -> None:
    _run("reproduce", "gecco21", "-o", str(STUDY), "--quiet")
    for name in FIGURES:
        shutil.copyfile(STUDY / "figures" / f"{name}.png", IMAGES / f"{name}.png")
    if not (RUN / "policies").is_dir():
        _run("train", "MountainCar-v0", "--seed", "0", "-o", str(RUN), "--overwrite", "--quiet")
    _run("report", str(RUN), "-o", str(BUILD / "explorer.html"))
    _photograph(BUILD / "explorer.html", IMAGES / "explorer.png")
    for image in sorted(IMAGES.glob("*.png")):
        print(f"{image.relative_to(HERE.parent)}  {image.stat().st_size // 1000} kB")


def _run(*words: str) -> None:
    if mococo(list(words)) != 0:
        raise SystemExit(f"mococo {' '.join(words)} failed")


def _photograph(page: Path, image: Path) -> None:
    """The explorer as a window shows it, in the midst of an episode."""
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("chromium takes the picture of the explorer, and is not installed; `make test` tries to")
    flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        window = browser.new_page(viewport={"width": 1400, "height": 1000})
        window.goto(page.as_uri())
        window.wait_for_selector("#map-a .main-svg")
        window.evaluate(f"() => Episode.seek({STEP})")
        window.wait_for_timeout(500)  # milliseconds, for the plots to settle
        window.screenshot(path=image, full_page=True, clip=window.evaluate(DOWN_TO_THE_MAP))
        browser.close()


if __name__ == "__main__":
    main()
