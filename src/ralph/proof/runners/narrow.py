"""A check for some files of tests alone, where its command leads to a runner that takes files.

The words of the command decide, and those of the scripts in package.json that it names. What comes
before the runner (a build) is kept; what only looks at the source (a linter) is left out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.task import SHELL, shell, shown
from ralph.domain.tests import SEPARATOR
from ralph.proof.runners.words import RUNNERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ralph.domain.task import Command
    from ralph.proof.runners.words import Runner

_PLAIN = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]+_test\.py|[^/]+[._-](?:test|spec)\.[cm]?[jt]sx?|test-[^/]+\.[cm]?[jt]s)"
)
_FOR_THE_SHELL = re.compile(r"[;|<>$`()~#!\n\\]|&(?!&)(?<!&&)")
_SETS = re.compile(r"\w+=.*", re.DOTALL)
_SETTING = re.compile(r"^\s*(?:\w+=(?:\"[^\"`\\]*\"|'[^'$]*'|[^\s\"'`;|&<>()\\]*)\s+)+")
"""Variables that are set in front of a command; the shell may write others into them."""
_LAUNCHERS = {
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye"), ("run",)),
    **dict.fromkeys(("npx", "bunx", "cross-env", "c8", "nyc", "env"), ()),
}
"""Programs that start another, with the word that comes after them."""
_LAUNCHER_VALUES = frozenset(
    (
        *("-r", "--reporter", "-n", "--include", "-x", "--exclude", "-e", "--extension", "--src"),
        *("--temp-dir", "-t", "--cwd", "--report-dir", "--reports-dir", "-o", "-p", "--package"),
        *("--lines", "--branches", "--functions", "--statements", "-i", "--require"),
    )
)
"""Options of nyc, c8 and npx whose value is the next word."""
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
_MANAGERS = ("npm", "pnpm", "yarn", "bun")
_RUNS_ALL = ("npm-run-all", "run-s", "run-p")
_LOOKING = frozenset(
    (
        *("eslint", "standard", "xo", "prettier", "biome", "tsd", "attw", "jshint", "semistandard"),
        *("ruff", "flake8", "mypy", "pyright", "black", "isort", "pylint", "evalmd", "ls-engines"),
    )
)
"""Programs that look at the source and make nothing."""
_COVERAGE_VALUES = frozenset(
    (
        *("--concurrency", "--context", "--data-file", "--include", "--omit", "--rcfile"),
        *("--source", "--debug", "--save-signal"),
    )
)
"""Options of `coverage run` whose value is the next word."""
_DEEPEST = 4
NAMED = "::"
"""Between a file and the name of a test in it."""
_CHOOSES = re.compile(
    r"-[tgfim]\b|--(?:testNamePattern|f?grep|invert|match|test-(?:name|skip)-pattern)\b"
)
"""Options by which a command chooses among its tests."""
_CHOOSING_FILES = ("--ignore", "--spec")
"""Options that choose among files: what they say and the files of a trial may not agree."""
_IN_PATTERNS = re.compile(r"[.*+?^${}()|\[\]\\/]")
_IN_MODULES = re.compile(r"(?:\./)?node_modules/(?:\.bin/)?(\w+)(?:/|$)")
"""A runner that Node is told to start: `node node_modules/jest/bin/jest.js`."""
_SWITCH = re.compile(r"-[A-Za-z]+\d*|-[a-zA-Z]\S+|--[\w.-]+=.*|--no-[\w-]+", re.DOTALL)


class Around(Struct, frozen=True):
    """What a command's words may mean in its repository."""

    scripts: Mapping[str, str] = {}
    """Those of package.json."""
    is_path: Callable[[str], bool] = lambda _: False
    is_there: Callable[[str], bool] = lambda _: False
    """Whether the checks find a program of this name among the dependencies."""


NOWHERE = Around()


def is_plain(path: str) -> bool:
    """Whether it is a file of tests and nothing else: no test outside it can depend on it."""
    return bool(_PLAIN.fullmatch(path))


def narrowed(command: Command, files: Iterable[str], around: Around = NOWHERE) -> Command | None:
    """The command for these files instead of all; None if nobody can say how that is written."""
    text = shown(command)
    typed = command[: len(SHELL)] == SHELL
    wanted = list(files)
    if not typed:
        made = _of_words(list(command), wanted, around, 0)
        return None if made is None or len(made) != 1 else tuple(made[0])
    made = _of_text(text, wanted, around, 0)
    return None if made is None else shell(" && ".join(map(_joined, made)))


def _joined(words: Sequence[str]) -> str:
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if not _SETS.fullmatch(word):
        return shlex.quote(word)
    name, _, value = word.partition("=")
    if "$" in value:
        return f'{name}="{value}"'  # the shell is to write it out
    return f"{name}={shlex.quote(value)}" if value else word


def _of_text(text: str, files: list[str], around: Around, depth: int) -> list[list[str]] | None:
    """Every piece of the command, the runners among them for these files; None without any."""
    pieces = text.split("&&")
    plain = (_SETTING.sub("", piece) for piece in pieces)
    if depth > _DEEPEST or any(map(_FOR_THE_SHELL.search, plain)):
        return None
    made: list[list[str]] = []
    found = False
    for piece in pieces:
        try:
            words = shlex.split(piece)
        except ValueError:
            return None
        if not words:
            return None
        own = _of_words(words, files, around, depth)
        if own is not None:
            found = True
            made += own
        elif _only_looks(words, around, depth):
            continue
        elif any(mark in piece for mark in "*?[{"):
            return None  # the shell would write them out
        else:
            made.append(words)
    return made if found else None


def _of_words(
    words: list[str], files: list[str], around: Around, depth: int
) -> list[list[str]] | None:
    before = _after_launchers(words)
    if (script := _script(words[before:], around)) is not None:
        made = _of_text(script, files, around, depth + 1)
        return None if made is None else [[*words[:before], *one] for one in made]
    name, start = _runner(words)
    if not name:
        return None
    runner = RUNNERS[name]
    wanted = [one for one in files if one.partition(NAMED)[0].endswith(runner.endings)]
    options = _options(words[start:], runner, around)
    if not wanted or options is None:
        return None
    if name == "unittest":
        found = "discover" in options
        wanted = [*_found_by(wanted)] if found else [_dotted(one) for one in wanted]
    elif name != "pytest" and any(NAMED in one for one in wanted):
        if not runner.named or any(_CHOOSES.match(one) for one in options):
            return None
        options += [f"{runner.named}={one}" for one in _patterns(name, wanted)]
        wanted = list(dict.fromkeys(one.partition(NAMED)[0] for one in wanted))
    if words[0] == "npx" and around.is_there(words[1]):
        words, start = words[1:], start - 1  # it takes longer to look for it than many tests
    if name == "pytest":  # an option at the end could take a file for its value
        return [[*words[:start], *wanted, *options]]
    return [[*words[:start], *options, *runner.first, *wanted]]


def _patterns(runner: str, tests: Iterable[str]) -> list[str]:
    """What matches these tests, as their runner names them: by all titles, or by the last."""
    titles = [one.partition(NAMED)[2].split(SEPARATOR) for one in tests]
    if runner == "ava":
        return [SEPARATOR.join(one) for one in titles]
    names = (one[-1] if runner == "node" else " ".join(one) for one in titles)
    return ["|".join(_IN_PATTERNS.sub(r"\\\g<0>", name) for name in names)]


def _found_by(tests: Iterable[str]) -> Iterator[str]:
    """`discover` loads every file, which may not be importable by its path, and runs what fits."""
    for one in tests:
        file, _, rest = one.partition(NAMED)
        stem = file.rpartition("/")[2].removesuffix(".py")
        pattern = f"*{stem}.{rest.replace(NAMED, '.')}" if rest else f"*{stem}.*"
        yield from ("-k", pattern)


def _dotted(test: str) -> str:
    """A single test as unittest takes it; a file stays one."""
    file, _, rest = test.partition(NAMED)
    if not rest:
        return file
    return ".".join((*file.removesuffix(".py").split("/"), *rest.split(NAMED)))


def _only_looks(words: Sequence[str], around: Around, depth: int) -> bool:
    script = _script(words[_after_launchers(words) :], around)
    if script is None:
        return _program(words) in _LOOKING
    if depth > _DEEPEST or _FOR_THE_SHELL.search(script):
        return False
    return all(_only_looks(one.split(), around, depth + 1) for one in script.split("&&"))


def _script(words: Sequence[str], around: Around) -> str | None:
    """What `npm test` or `npm run NAME` stands for, with what comes before it."""
    if words and words[0] in _RUNS_ALL:
        return _all_scripts(words[1:], around)
    if not words or words[0] not in _MANAGERS:
        return None
    rest = [word for word in words[1:] if word not in ("run", "run-script", "-s", "--silent")]
    name = "test" if rest[:1] == ["t"] else "".join(rest[:1])
    text, more = around.scripts.get(name), rest[1:]
    if not text or (more and more[0] != "--"):
        return None
    if more[1:]:
        text = f"{text} {_joined(more[1:])}"
    before = around.scripts.get(f"pre{name}")
    return f"{before} && {text}" if before else text


def _all_scripts(names: Sequence[str], around: Around) -> str | None:
    """What `run-s build test:*` stands for: one after the other will do for those side by side."""
    wanted = [name for name in names if not name.startswith("-")]
    found = [[one for one in around.scripts if fnmatchcase(one, name)] for name in wanted]
    if not all(found):
        return None
    return " && ".join(f"npm run {one}" for several in found for one in several)


def _program(words: Sequence[str]) -> str:
    """What is started, without those that start it."""
    start = _after_launchers(words)
    return words[start].rpartition("/")[2] if start < len(words) else ""


def _after_launchers(words: Sequence[str]) -> int:
    start = 0
    while start < len(words):
        word = words[start].rpartition("/")[2]
        after = _LAUNCHERS.get(word)
        if _SETS.fullmatch(words[start]) and not words[start].startswith("-"):
            start += 1
        elif after is not None and tuple(words[start + 1 : start + 1 + len(after)]) == after:
            start += 1 + len(after)
            start += 0 if after else _count_options(words[start:])
        else:
            break
    return start


def _count_options(words: Sequence[str]) -> int:
    """How many words are options of a launcher; one of them may have its value in the next."""
    count = 0
    while count < len(words) and words[count].startswith("-"):
        has_value = words[count] in _LAUNCHER_VALUES and words[count + 1 : count + 2]
        count += 2 if has_value else 1
    return count


def _runner(words: Sequence[str]) -> tuple[str, int]:
    """Which runner it is, and where its arguments begin."""
    start = _after_launchers(words)
    name = words[start].rpartition("/")[2] if start < len(words) else ""
    if name in ("pytest", "py.test"):
        return "pytest", start + 1
    if name in ("_mocha", "mocha", "jest", "ava", "tape", "vitest"):
        name = name.removeprefix("_")
        own = RUNNERS[name].words
        return name, start + 1 + (tuple(words[start + 1 : start + 1 + len(own)]) == own) * len(own)
    if name in ("node", "tsx"):
        return _node(words, start)
    if name == "coverage":
        return _coverage(words, start)
    return _python(words, start) if _PYTHON.fullmatch(name) else ("", 0)


def _node(words: Sequence[str], start: int) -> tuple[str, int]:
    for place in range(start + 1, len(words)):
        if words[place] == "--test":
            return "node", place + 1
        if words[place - 1] in RUNNERS["node"].with_value:
            continue
        if not words[place].startswith("-"):
            found = _IN_MODULES.match(words[place])
            name = found[1].removeprefix("_") if found else ""
            return (name, place + 1) if name in RUNNERS else ("", 0)
    return "", 0


def _python(words: Sequence[str], start: int) -> tuple[str, int]:
    for place, word in enumerate(words[start + 1 :], start + 1):
        if word == "-m":
            name = words[place + 1] if place + 1 < len(words) else ""
            if name == "coverage":
                return _coverage(words, place + 1)
            return (name, place + 2) if name in ("pytest", "unittest") else ("", 0)
        if not re.fullmatch(r"-[BbdEIOPsSuvx]+|-W\S+|-X\S+", word):
            return "", 0
    return "", 0


def _coverage(words: Sequence[str], start: int) -> tuple[str, int]:
    """What `coverage run` measures: it starts a module as Python does."""
    if list(words[start + 1 : start + 2]) != ["run"]:
        return "", 0
    place = start + 2
    while place < len(words) and words[place].startswith("-") and words[place] != "-m":
        place += 1 + (words[place] in _COVERAGE_VALUES)
    return _python(words, place - 1) if words[place : place + 1] else ("", 0)


def _options(words: Sequence[str], runner: Runner, around: Around) -> list[str] | None:
    """The arguments without the files; None where a value and a file cannot be told apart."""
    if runner is RUNNERS["unittest"] and "discover" in words:
        return None if "-k" in words else list(words)
    found = list(_kept(words, runner, around))
    return None if None in found else [one for one in found if one is not None]


def _kept(words: Sequence[str], runner: Runner, around: Around) -> Iterator[str | None]:
    before = ""
    for word in words:
        if before in runner.with_value:
            yield word
            before = ""
            continue
        if word in runner.ends_early:
            continue
        if word == "--" or word.startswith(_CHOOSING_FILES):
            yield None
        elif word.startswith("-"):
            yield word
        elif _may_have_value(before, runner) and not around.is_path(word):
            yield None if _could_be_path(word) else word
        before = word


def _may_have_value(option: str, runner: Runner) -> bool:
    if not option.startswith("-") or option in runner.alone:
        return False
    return option.startswith("--") and not _SWITCH.fullmatch(option)


def _could_be_path(word: str) -> bool:
    return bool(re.search(r"[/.*\\]", word)) or word.isidentifier()
