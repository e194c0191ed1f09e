"""Channels that are programs: a command of the user's, and the desktop's own."""

from __future__ import annotations

import html
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.domain.answer import Ended
from ralph.domain.notify import Occasion
from ralph.domain.task import SHELL
from ralph.people.wording import plain
from ralph.process import Child, environment, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.domain.notify import Letter
    from ralph.domain.task import Command
    from ralph.process import Finished

GRACE_SECONDS = 0.2
SEEN = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS")
"""What programs need to reach the desktop."""
URGENT = frozenset((Occasion.QUESTION, Occasion.FAILURE))
"""What stays on the desktop until a person has seen it."""
MOST_SHOWN = 400
"""Characters of a text that a desktop shows well."""
_SAID = 2000


class CommandChannel:
    """A program of the user's."""

    def __init__(
        self, command: Command, env: tuple[str, ...], root: Path, environ: Mapping[str, str]
    ) -> None:
        self._command = command
        self._root = root
        self._env = _seen(environ, root, *env)
        words = command[-1].split() if command[:2] == SHELL else command
        self.name = f"command {Path(words[0]).name}"

    def lacks(self) -> str:
        inside = re.compile(re.escape(str(self._root)) + r"(?![\w.-])")
        if any(map(inside.search, self._command)):
            return "it lies in the repository, where agents can change it: move it elsewhere"
        is_shell = self._command[:2] == SHELL
        return "" if is_shell else _missing(self._command[0], self._env)

    async def send(self, letter: Letter) -> str:
        finished = await started(
            self._command,
            self._env | about(letter),
            letter.whole.encode("utf-8", "replace"),
        )
        return trouble(finished)


class DesktopChannel:
    name = "desktop"

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._env = _seen(environ, root)

    def lacks(self) -> str:
        missing = _missing("notify-send", self._env)
        return f"{missing} (Debian: apt-get install libnotify-bin)" if missing else ""

    async def send(self, letter: Letter) -> str:
        # a desktop reads the text, but not the title, as markup
        text = html.escape(letter.text[:MOST_SHOWN], quote=False)
        urgent = "critical" if URGENT.intersection(letter.occasions) else "normal"
        finished = await started(
            ("notify-send", "--app-name=Ralph", f"--urgency={urgent}", "--", letter.title, text),
            self._env,
        )
        return trouble(finished)


def about(letter: Letter) -> dict[str, str]:
    """What a command can tell of a message without reading it."""
    questions = (one.question for one in letter.news if one.question)
    return {
        "RALPH_NOTIFY_TITLE": letter.title,
        "RALPH_NOTIFY_ON": ",".join(letter.occasions),
        "RALPH_NOTIFY_QUESTIONS": ",".join(questions),
        "RALPH_NOTIFY_PROJECT": letter.project,
        "RALPH_NOTIFY_LINK": letter.link,
    }


async def started(command: Command, env: Mapping[str, str], stdin: bytes = b"") -> Finished:
    return await run(
        Child(
            argv=command,
            cwd=_home(env),
            env=env,
            stdin=stdin,
            grace_seconds=GRACE_SECONDS,
        )
    )


def _home(env: Mapping[str, str]) -> Path:
    """Nothing in a repository changes what a program does there."""
    home = Path(env.get("HOME") or os.sep)
    return home if home.is_dir() else Path(os.sep)


def trouble(finished: Finished) -> str:
    """Why a program did not do it; empty if it did."""
    if finished.ended is Ended.NOT_STARTED:
        return f"it cannot be started: {finished.error}"
    if not finished.exit_code:
        return ""
    said = last_words(finished)
    return f"exit {finished.exit_code}{f': {said}' if said else ''}"


def last_words(finished: Finished) -> str:
    return next(reversed(plain(finished.text(_SAID)).strip().splitlines()), "")


def _missing(program: str, env: Mapping[str, str]) -> str:
    named = str(_home(env) / program) if os.sep in program else program
    found = shutil.which(named, path=env["PATH"])
    return "" if found else f"there is no program {program}"


def _seen(environ: Mapping[str, str], root: Path, *names: str) -> dict[str, str]:
    """What a program sees; none of its name is taken from the repository, where agents write."""
    env = environment(environ, extra_names=(*SEEN, *names))
    entries = env.get("PATH", os.defpath).split(os.pathsep)
    kept = (one for one in entries if one.startswith(os.sep) and not Path(one).is_relative_to(root))
    return {**env, "PATH": os.pathsep.join(kept)}
