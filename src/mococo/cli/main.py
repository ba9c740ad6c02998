"""The `mococo` command: finds the sub-command, and turns errors into one line and an exit code.

Nothing slow is imported before a sub-command is known, so that `mococo --help` answers at once.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence

from mococo.errors import MococoError, UsageError, nearest, shown

COMMANDS = {
    "train": "evolve policies for an environment, saved in a folder",
    "resume": "go on with a run that was stopped or killed, or make it longer",
    "show": "print a run (front, rules) or a policy (rules, fuzzy sets)",
    "evaluate": "play episodes with a policy, or with all the policies of a run",
    "config": "print every setting, explained, as a file for --config",
    "verify-run": "replay a run: is it what it claims?",
    "plot": "draw runs or a policy as figures",
    "envs": "list the environments that can be trained on",
    "check-env": "check an environment of your own, beside Gymnasium's",
    "play": "watch a policy act, in a window or as a film",
    "report": "write an HTML page to explore a run, or many, offline",
    "watch": "follow a run that is going on, in a browser",
    "bench": "measure the speed of rollouts beside plain Gymnasium",
    "reproduce": "repeat a paper's runs, and check what it claims",
    "solve": "find out how well any policy can do, by value iteration",
}

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
OK, REFUSED, OUT_OF_MEMORY, DIFFERS, INTERRUPTED, PIPE_CLOSED = 0, 2, 1, 3, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run `mococo` with these words, by default the process's; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows ? instead of ending the run
    try:
        try:
            code = _dispatch(list(sys.argv[1:] if argv is None else argv))
        except SystemExit as end:  # after a sub-command's --help
            code = int(end.code or OK)
        sys.stdout.flush()
    except MococoError as error:
        print(f"mococo: {error}", file=sys.stderr)
        return REFUSED
    except MemoryError as error:
        detail = f" ({error})" if str(error) else ""
        print(f"mococo: not enough memory{detail}; ask for less", file=sys.stderr)
        return OUT_OF_MEMORY
    except KeyboardInterrupt:
        print("mococo: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has gone, as `head` does
        _forget_output()
        return PIPE_CLOSED
    except OSError as error:
        return _refused_by_system(error)
    return code


def _refused_by_system(error: OSError) -> int:
    """Tell of a file, or of the output, that the system does not let us have; the exit code."""
    if error.filename is not None:  # a path that is too long, or in a folder that is closed to us
        print(f"mococo: {shown(str(error.filename), 200)}: {error.strerror}", file=sys.stderr)
        return REFUSED
    if error.errno not in _NO_ROOM:
        raise error
    _forget_output()
    print(f"mococo: the output cannot be written ({error.strerror})", file=sys.stderr)
    return REFUSED


def _forget_output() -> None:
    """Python would complain again when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(words: list[str]) -> int:
    if not words:
        print(overview(), file=sys.stderr)
        return REFUSED
    first = words[0]
    if first in ("-h", "--help"):
        print(overview())
        return OK
    if first in ("-V", "--version"):
        from importlib.metadata import version

        print(f"mococo {version('mococo')}")
        return OK
    if first not in COMMANDS:
        kind = "option" if first.startswith("-") else "command"
        known = ["--help", "--version"] if kind == "option" else COMMANDS
        raise UsageError(f"unknown {kind} {first!r}. {nearest(first, known)}")
    words = _without_imports(words)
    run = importlib.import_module(f"mococo.cli.{first.replace('-', '_')}").run
    return int(run(words[1:]))


def _without_imports(words: list[str]) -> list[str]:
    """The other words, after having the files of every `--import FILE` known to this process and those it starts."""
    left, rest = [], iter(words)
    for word in rest:
        if word != "--import" and not word.startswith("--import="):
            left.append(word)
            continue
        file = word.partition("=")[2] or next(rest, "")
        if not file or file.startswith("-"):
            raise UsageError("--import needs the Python file of an environment of your own: --import FILE.py")
        from mococo.envs.own import add_file

        add_file(file)
    return left


def overview() -> str:
    """What `mococo --help` prints."""
    width = max(len(name) for name in COMMANDS)
    lines = "\n".join(f"  {name:<{width}}  {does}" for name, does in COMMANDS.items())
    return f"""usage: mococo COMMAND ...

Evolves small fuzzy rule bases that a person can read and that control
reinforcement-learning environments.

commands:
{lines}

  mococo COMMAND --help   the options of a command
  mococo --version        the version
  --import FILE.py        with any command: know your own environments

For example: mococo train MountainCar-v0"""
