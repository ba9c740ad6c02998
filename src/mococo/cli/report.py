"""`mococo report`: one HTML file in which a run, or many, can be explored without a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from mococo.cli.main import OK
from mococo.cli.parsing import TEXT, option, parse
from mococo.cli.sources import open_runs
from mococo.errors import UsageError
from mococo.files import write_atomic
from mococo.report.explorer import explorer_data
from mococo.report.explorer_page import explorer_page


@dataclass(frozen=True)
class Report:
    """Write an HTML page to explore a run, or a folder with many: front, rules, maps, episodes in motion.

    The page is one file that works offline in any browser.
    """

    path: Annotated[str, TEXT, option("Folder of a run, or of many.", metavar="RUN")]
    output: Annotated[
        str | None, TEXT, option("The file.", default="explorer.html in the folder", short="-o", metavar="FILE")
    ] = None


def run(words: Sequence[str]) -> int:
    """Read, play, write, tell where it is."""
    args = parse(Report, "report", words)
    folder = Path(args.path)
    output = folder / "explorer.html" if args.output is None else Path(args.output)
    if output.is_dir():
        raise UsageError(f"{output} is a folder, but the page is one file; name it with -o, such as -o explorer.html")
    data = explorer_data(open_runs(folder))
    content = explorer_page(data, folder.resolve().name)
    try:
        write_atomic(output, content)
    except OSError as error:
        raise UsageError(f"{output} cannot be written ({error.strerror}); name another file with -o") from None
    print(f"{output}  needs no network. To explore it, open:\n{output.resolve().as_uri()}")
    return OK
