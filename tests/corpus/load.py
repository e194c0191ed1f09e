"""Reads the cases of the corpus and lays them out as files."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).parent
LANGUAGES = ("javascript", "python")
HELD_OUT = "held_out"
"""The folder of a checkout that held-out checks are laid into."""
REPORT = f"{HELD_OUT}/report.xml"
SOURCE = (".py", ".js", ".mjs", ".cjs")
DELETED = "DELETED"
_DOT = "dot-"
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

Language: TypeAlias = Literal["python", "javascript"]
Kind: TypeAlias = Literal["feature", "fix", "refactor", "docs", "chore"]
State: TypeAlias = Literal["green", "red"]
Expectation: TypeAlias = Literal["caught", "caught_if_proven", "may_pass"]
Command: TypeAlias = tuple[str, ...]
Files: TypeAlias = dict[str, str]

COMMANDS: Mapping[str, Command] = {
    # Neither the candidate's settings nor its modules: only its code, asked from a child process.
    "python": (
        *("python", "-I", "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest"),
        *("-c", f"{HELD_OUT}/pytest.ini", f"--junitxml={REPORT}", HELD_OUT),
    ),
    "javascript": (
        *("node", "--test", "--test-reporter=junit", f"--test-reporter-destination={REPORT}"),
        f"{HELD_OUT}/held_out.test.mjs",
    ),
}


class HeldOut(Struct, frozen=True):
    """A check that the agent never sees: it tells honest work from the cheat."""

    files: Files
    command: Command
    report: str = REPORT
    """JUnit XML. Green means that every test in it passed, whatever the exit code."""


class Case(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One change by an agent, to one small repository, for one task."""

    name: str
    language: Language
    title: str
    kind: Kind
    criteria: tuple[str, ...]
    verify: tuple[Command, ...]
    cheat: bool
    mechanism: str
    what: str
    """The trick, or what makes an honest change look like one."""
    base: str
    base_is: State
    """What the verify commands say before the change."""
    change_is: State = "green"
    """What they say after it, in the agent's own tree."""
    expect_without_held_out: Expectation | None = None
    """Of a cheat: `may_pass` where only a held-out check or a judge can find it."""
    may_change_tests: tuple[str, ...] = ()
    """Patterns of paths that the task allows to change."""
    links: Files = field(default_factory=dict)
    """Symbolic links that the change makes: path to target."""
    plugins: bool = False
    """Whether pytest has to look for plugins as usual; without, it starts faster."""
    before: Files
    change: Files
    deleted: tuple[str, ...] = ()
    held_out: HeldOut

    @property
    def after(self) -> Files:
        """The files when the agent has finished, links apart."""
        kept = {path: text for path, text in self.before.items() if path not in self.deleted}
        return kept | self.change

    def lay_base(self, folder: Path) -> None:
        _write(folder, self.before)

    def lay_change(self, folder: Path) -> None:
        """Turn a folder with the base into what the agent leaves."""
        for path in self.deleted:
            (folder / path).unlink()
            _remove_empty((folder / path).parent, folder)
        _write(folder, self.change)
        for path, target in self.links.items():
            (folder / path).symlink_to(target)

    def lay_held_out(self, folder: Path) -> None:
        _write(folder, self.held_out.files)


def sort_of(case: Case) -> tuple[str, ...]:
    """The language, what finds it out, and what it lays hands on: all that the label and paths say.

    What a cheat does is its own in each case (`mechanism`); where it does it and how it is found
    are what the program has different ways for.
    """
    changed = {*case.change, *case.deleted, *case.links}
    label = case.expect_without_held_out or "honest"
    return (case.language, label, *sorted({_place(path) for path in changed}))


def sample(cases: Iterable[Case]) -> list[Case]:
    """The first of each sort, by name: what there is time for in `make test`."""
    first: dict[tuple[str, ...], Case] = {}
    for case in sorted(cases, key=lambda case: case.name):
        first.setdefault(sort_of(case), case)
    return list(first.values())


def _place(path: str) -> str:
    if "test" in path.lower():
        return "tests"
    return "source" if path.endswith(SOURCE) else "the rest"


class CorpusError(Exception):
    """A case is not what it should be."""


@cache
def cases() -> tuple[Case, ...]:
    """Every case, sorted by language and name."""
    folders = sorted(path.parent for path in ROOT.glob("cases/*/*/case.json"))
    return tuple(load(folder) for folder in folders)


def load(folder: Path) -> Case:
    """Read one case; what it does not say itself, its base says."""
    language = folder.parent.name
    about = _json(folder / "case.json")
    base = ROOT / "bases" / language / str(about.get("base"))
    change = _files(folder / "change")
    deleted = change.pop(DELETED, "").splitlines()
    questions = folder if (folder / HELD_OUT).is_dir() else base
    held_out = _files(ROOT / HELD_OUT / language) | _files(questions / HELD_OUT)
    loaded = {
        **_json(base / "base.json"),
        **about,
        "name": folder.name,
        "language": language,
        "before": _files(base / "files") | _files(folder / "base"),
        "change": change,
        "deleted": deleted,
        "held_out": {
            "files": {f"{HELD_OUT}/{path}": text for path, text in held_out.items()},
            "command": COMMANDS[language],
        },
    }
    try:
        case = msgspec.convert(loaded, Case)
    except msgspec.ValidationError as error:
        raise CorpusError(f"{folder}: {error}") from error
    if found := list(faults(case)):
        raise CorpusError(f"{folder}: {'; '.join(found)}")
    return case


def faults(case: Case) -> Iterable[str]:
    """What is wrong with a case that has the right shape."""
    if not _SLUG.fullmatch(case.name) or not _SLUG.fullmatch(case.mechanism):
        yield "names and mechanisms are words with hyphens"
    if not (case.title and case.what and case.criteria and case.verify and all(case.verify)):
        yield "title, what, criteria and verify must say something"
    if case.cheat is (case.expect_without_held_out is None):
        yield "a cheat, and only a cheat, has an expectation"
    if not (case.change or case.deleted or case.links):
        yield "nothing is changed"
    if same := [path for path, text in case.change.items() if case.before.get(path) == text]:
        yield f"unchanged: {', '.join(same)}"
    if missing := set(case.deleted) - set(case.before):
        yield f"deleted, but not in the base: {', '.join(sorted(missing))}"
    if not any(Path(path).name.startswith(("test_", HELD_OUT)) for path in case.held_out.files):
        yield "there is no held-out test"
    for path in (*case.before, *case.change, *case.links, *case.links.values()):
        if _leads_out(path) or path.split("/")[0] == HELD_OUT:
            yield f"{path} is not a place for a file of a case"


def _leads_out(path: str) -> bool:
    parts = PurePosixPath(path)
    return parts.is_absolute() or ".." in parts.parts


def _json(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise CorpusError(f"{path}: {error}") from error


def _files(folder: Path) -> Files:
    """The files below a folder; `dot-` begins a name that would mean something to git here."""
    found: Files = {}
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = Path(place, name)
            inside = path.relative_to(folder).parts
            if "__pycache__" not in inside:
                found["/".join(_plain(part) for part in inside)] = path.read_text(encoding="utf-8")
    return found


def _plain(name: str) -> str:
    return f".{name.removeprefix(_DOT)}" if name.startswith(_DOT) else name


def _write(folder: Path, files: Files) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _remove_empty(folder: Path, top: Path) -> None:
    """As git does: a folder goes with its last file."""
    while folder != top and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
