"""The README's images, from a reproduction of the paper: make docs-images. Goes on with the one in build/."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from mococo.cli.main import main as mococo

HERE = Path(__file__).parent
IMAGES = HERE / "images"
STUDY = HERE.parent / "build" / "gecco21"
FIGURES = ("front", "map", "sets")


def main() -> None:
    if mococo(["reproduce", "gecco21", "-o", str(STUDY), "--quiet"]) != 0:
        raise SystemExit("the reproduction failed")
    for name in FIGURES:
        shutil.copyfile(STUDY / "figures" / f"{name}.png", IMAGES / f"{name}.png")
    if importlib.util.find_spec("explorer_images") is not None:  # its browser is installed by `make test`
        importlib.import_module("explorer_images").explorer_images(IMAGES)
    for image in sorted(IMAGES.glob("*.png")):
        print(f"{image.relative_to(HERE.parent)}  {image.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
