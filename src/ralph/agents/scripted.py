"""An agent that does what a script says: `python -m ralph.agents.scripted SCRIPT.json`.

    {"tasks": {"US-001": [turn, …]}, "default": [turn, …]}

The turn is the first whose `if_prompt_contains` is in the prompt, otherwise the one for this
attempt among those without a condition; the last one repeats. What a turn holds is done in the
order it is written: `write` and `append` (path: content), `delete` (paths), `run` (commands),
`say`, `sleep`. Its `exit` comes last.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ralph.agents.line import Line
    from ralph.domain.answer import Answer
    from ralph.domain.job import Job

    Turn = dict[str, Any]
    Say = Callable[[str], None]

BAD_SCRIPT = 2
CANNOT = 1


class BadScript(Exception):
    """The script makes no sense; the message says where."""


class Failed(Exception):
    """What the script asks for cannot be done."""


def load(path: str) -> dict[str, Any]:
    """Read and check a script."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs start-up time
            script: object = json.load(file)
    except OSError as error:
        raise BadScript(f"The script {path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadScript(f"The script {path} is not JSON: {error}.") from error
    return validate(script)


def validate(script: object) -> dict[str, Any]:
    """The script itself; a BadScript names the place where it is wrong."""
    if not isinstance(script, dict) or not script or script.keys() - {"tasks", "default"}:
        raise BadScript('A script is {"tasks": {"US-001": [turn, …]}, "default": [turn, …]}.')
    tasks = script.get("tasks", {})
    if not isinstance(tasks, dict):
        raise BadScript("`tasks` must be an object with a list of turns for each task.")
    lists = {f"tasks.{name}": turns for name, turns in tasks.items()}
    if "default" in script:
        lists["default"] = script["default"]
    for where, turns in lists.items():
        if not isinstance(turns, list) or not turns:
            raise BadScript(f"`{where}` must be a list with at least one turn.")
        for number, turn in enumerate(turns):
            _validate_turn(f"{where}[{number}]", turn)
    return script


def _validate_turn(where: str, turn: object) -> None:
    if not isinstance(turn, dict):
        raise BadScript(f"`{where}` must be an object.")
    for key, value in turn.items():
        if key not in _SHAPES:
            raise BadScript(f"`{where}` has an unknown key `{key}`. Known: {', '.join(_SHAPES)}.")
        shape, fits = _SHAPES[key]
        if not fits(value):
            raise BadScript(f"`{where}.{key}` must be {shape}.")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_commands(value: object) -> bool:
    return isinstance(value, list) and all(one and _are_texts(one) for one in value)


def _are_contents(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _is_text_or_texts(value: object) -> bool:
    return _is_text(value) or _are_texts(value)


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_status(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 255  # noqa: PLR2004 - what a process can return


_SHAPES: dict[str, tuple[str, Callable[[object], bool]]] = {
    "if_prompt_contains": ("a text", _is_text),
    "write": ("an object of paths and contents", _are_contents),
    "append": ("an object of paths and contents", _are_contents),
    "delete": ("a list of paths", _are_texts),
    "run": ("a list of commands, each a list of words", _are_commands),
    "say": ("a text or a list of texts", _is_text_or_texts),
    "sleep": ("a number of seconds", _is_time),
    "exit": ("a number from 0 to 255", _is_status),
}


def pick(script: dict[str, Any], task: str, attempt: int, prompt: str) -> Turn:
    """The turn for this task, attempt and prompt."""
    turns: list[Turn] = script.get("tasks", {}).get(task) or script.get("default") or []
    for turn in turns:
        if "if_prompt_contains" in turn and turn["if_prompt_contains"] in prompt:
            return turn
    plain = [turn for turn in turns if "if_prompt_contains" not in turn]
    if not plain:
        raise BadScript(f"The script has no turn for task `{task}`, attempt {attempt}.")
    return plain[min(max(attempt, 1), len(plain)) - 1]


def perform(turn: Turn, workspace: str, say: Say) -> Iterator[float]:
    """Do the turn; sleep for each number it yields."""
    for key, value in turn.items():
        if key == "sleep":
            yield value
        elif key in _DEEDS:
            try:
                _DEEDS[key](value, workspace, say)
            except (OSError, ValueError) as error:
                raise Failed(f"The script's `{key}` failed: {error}") from error


def _write(files: dict[str, str], workspace: str, _say: Say) -> None:
    _put(files, workspace, "w")


def _append(files: dict[str, str], workspace: str, _say: Say) -> None:
    _put(files, workspace, "a")


def _put(files: dict[str, str], workspace: str, mode: str) -> None:
    for name, content in files.items():
        path = _inside(workspace, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - no pathlib here
        with open(path, mode, encoding="utf-8", errors="surrogatepass", newline="") as file:  # noqa: PTH123 - the same
            file.write(content)


def _delete(names: list[str], workspace: str, _say: Say) -> None:
    for name in names:
        os.unlink(_inside(workspace, name))  # noqa: PTH108 - no pathlib here


def _run(commands: list[list[str]], workspace: str, say: Say) -> None:
    import subprocess

    for command in commands:
        done = subprocess.run(
            command,
            cwd=workspace,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if done.stdout:
            say(done.stdout.decode("utf-8", "replace").rstrip("\n"))
        if done.returncode:
            raise Failed(f"`{' '.join(command)}` exited {done.returncode}.")


def _say(words: str | list[str], _workspace: str, say: Say) -> None:
    for line in [words] if isinstance(words, str) else words:
        say(line)


_DEEDS: dict[str, Callable[[Any, str, Say], None]] = {
    "write": _write,
    "append": _append,
    "delete": _delete,
    "run": _run,
    "say": _say,
}


def _inside(workspace: str, name: str) -> str:
    """The path in the workspace; a script cannot reach out of it, not even through a link."""
    root = os.path.realpath(workspace)
    folder, last = os.path.split(os.path.join(root, name))  # noqa: PTH118 - no pathlib here
    path = os.path.join(os.path.realpath(folder), last)  # noqa: PTH118 - the same
    link_out = os.path.islink(path) and not _below(root, os.path.realpath(path))  # noqa: PTH114 - the same
    if last in ("", ".", "..") or link_out or not _below(root, path):
        raise BadScript(f"The path `{name}` is not a file inside the workspace.")
    return path


def _below(root: str, path: str) -> bool:
    return path.startswith(root.rstrip("/") + "/")


class ScriptedAgent:
    """The same agent without a process of its own, for tests of what is around it."""

    def __init__(self, script: object, name: str = "scripted") -> None:
        self.name = name
        self.script = validate(script)
        self.jobs: list[Job] = []
        """What it was asked, for a test to look at."""

    def check(self) -> None:
        """Nothing can be missing."""

    async def run(self, job: Job, line: Line) -> Answer:
        import asyncio

        from ralph.domain.activity import Activity, ActivityKind
        from ralph.domain.answer import Answer, Ended
        from ralph.domain.trouble import Trouble, TroubleKind

        self.jobs.append(job)
        begun = time.monotonic()
        said: list[str] = []

        def say(words: str) -> None:
            said.append(words)
            line.heard(Activity(ActivityKind.SAID, words[:300]))

        turn: Turn = {}
        error, code = "", 0
        try:
            turn = pick(self.script, job.task, job.attempt, job.prompt)
            for seconds in perform(turn, job.workspace, say):
                await asyncio.sleep(seconds)
            code = turn.get("exit", 0)
            error = f"The agent exited {code}." if code else ""
        except (BadScript, Failed) as trouble:
            code = _status(trouble)
            error = f"The agent exited {code}: {trouble}"
        text = "".join(f"{line}\n" for line in said)
        size = len(text.encode("utf-8", "replace"))
        seconds = time.monotonic() - begun
        broken = Trouble(TroubleKind.EXIT, error) if error else None
        return Answer(text, Ended.EXITED, code, seconds, output_bytes=size, trouble=broken)


def _status(trouble: BadScript | Failed) -> int:
    return BAD_SCRIPT if isinstance(trouble, BadScript) else CANNOT


def _asked(arguments: list[str], prompt: str) -> Turn:
    if len(arguments) != 1:
        raise BadScript("Usage: python -m ralph.agents.scripted SCRIPT.json")
    attempt = os.environ.get("RALPH_ATTEMPT", "")
    number = int(attempt) if attempt.isdecimal() else 1
    return pick(load(arguments[0]), os.environ.get("RALPH_TASK_ID", ""), number, prompt)


def main(arguments: list[str]) -> int:
    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")

    def say(line: str) -> None:
        sys.stdout.buffer.write(f"{line}\n".encode("utf-8", "replace"))
        sys.stdout.buffer.flush()

    try:
        turn = _asked(arguments, prompt)
        for seconds in perform(turn, os.getcwd(), say):  # noqa: PTH109 - no pathlib here
            time.sleep(seconds)
        return int(turn.get("exit", 0))
    except (BadScript, Failed) as trouble:
        sys.stderr.write(f"{trouble}\n")
        return _status(trouble)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
