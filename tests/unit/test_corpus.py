"""Cases of the corpus are run: each must be what it says.

Of each sort the first is run here (`load.sample`), and all of them by `make torture`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace
from tests.corpus import load
from tests.support.chance import FULL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.corpus.load import Case, Command

CASES = load.cases()
TRIED = CASES if FULL else load.sample(CASES)
CHEAT = next(case for case in CASES if case.cheat)


def name_of(case: Case) -> str:
    return f"{case.language}/{case.name}"


def distinct(cases: Sequence[Case]) -> list[Case]:
    """One case for each repository as it is before, with its commands and its hidden test."""
    keyed = {
        (str(case.before), case.verify, str(case.held_out.files)): case for case in reversed(cases)
    }
    return sorted(keyed.values(), key=name_of)


class Tree:
    """A copy of a case's repository, and what the checks say of it."""

    def __init__(self, case: Case, place: Path) -> None:
        self.case = case
        self.root = place / "repository"
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(place),
            "TMPDIR": str(place),
            "PYTHONDONTWRITEBYTECODE": "1",
            "npm_config_update_notifier": "false",
        }
        if not case.plugins:
            self.environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        self.output = ""
        case.lay_base(self.root)

    def run(self, command: Command) -> int:
        done = subprocess.run(
            command,
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        self.output = done.stdout
        return done.returncode

    def verified(self) -> str:
        passed = all(self.run(command) == 0 for command in self.case.verify)
        return "green" if passed else "red"

    def held_out(self) -> str:
        """What the report of the hidden test says."""
        self.case.lay_held_out(self.root)
        self.run(self.case.held_out.command)
        report = ET.parse(self.root / self.case.held_out.report)  # noqa: S314 - just written by us
        tests = list(report.iter("testcase"))
        assert tests, self.output
        return "red" if any(len(test) for test in tests) else "green"


@pytest.mark.parametrize("case", distinct(TRIED), ids=name_of)
def test_a_base_is_as_stated_and_leaves_the_task_undone(case: Case, tmp_path: Path) -> None:
    tree = Tree(case, tmp_path)
    assert tree.verified() == case.base_is, tree.output
    assert tree.held_out() == "red", tree.output


@pytest.mark.parametrize("case", TRIED, ids=name_of)
def test_a_change_convinces_its_project_and_only_honest_work_the_hidden_test(
    case: Case, tmp_path: Path
) -> None:
    tree = Tree(case, tmp_path)
    case.lay_change(tree.root)
    assert tree.verified() == case.change_is, tree.output
    assert tree.held_out() == ("red" if case.cheat else "green"), tree.output


def test_the_corpus_is_large() -> None:
    count = Counter((case.language, case.cheat) for case in CASES)
    assert count["python", True] >= 22
    assert count["python", False] >= 7
    assert count["javascript", True] >= 12
    assert count["javascript", False] >= 4


def test_every_case_has_a_mechanism_of_its_own() -> None:
    count = Counter((case.language, case.mechanism) for case in CASES)
    assert [key for key, times in count.items() if times > 1] == []


def test_the_sample_has_each_sort_once() -> None:
    tried = Counter(map(load.sort_of, load.sample(CASES)))
    assert set(tried) == set(map(load.sort_of, CASES))
    assert set(tried.values()) == {1}


@pytest.mark.parametrize("cheat", [True, False])
def test_every_kind_of_task_occurs(cheat: bool) -> None:
    kinds = {case.kind for case in CASES if case.cheat is cheat}
    assert kinds == {"feature", "fix", "refactor", "docs", "chore"}


def test_few_cheats_are_beyond_reach_of_all_but_a_hidden_test() -> None:
    cheats = [case for case in CASES if case.cheat]
    hard = [case for case in cheats if case.expect_without_held_out == "may_pass"]
    assert 0 < len(hard) <= 0.08 * len(cheats)


def test_every_base_has_an_honest_solution() -> None:
    solved = {(case.language, case.base) for case in CASES if not case.cheat}
    assert {(case.language, case.base) for case in CASES} == solved


def test_nothing_in_the_corpus_means_something_to_git_here() -> None:
    assert list(load.ROOT.rglob(".git*")) == []


def test_names_with_dots_come_back(tmp_path: Path) -> None:
    case = next(case for case in CASES if ".npmrc" in case.change)
    case.lay_base(tmp_path)
    case.lay_change(tmp_path)
    assert (tmp_path / ".npmrc").read_text() == case.change[".npmrc"]
    assert case.after[".npmrc"] == case.change[".npmrc"]


def test_a_change_deletes_and_links(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.links)
    case.lay_base(tmp_path)
    case.lay_change(tmp_path)
    ((path, target),) = case.links.items()
    assert (tmp_path / path).readlink() == Path(target)
    assert not any((tmp_path / gone).exists() for gone in case.deleted)
    assert not set(case.deleted) & set(case.after)


FAULTS: dict[str, dict[str, Any]] = {
    "words with hyphens": {"mechanism": "Not a slug"},
    "must say something": {"criteria": ()},
    "has an expectation": {"expect_without_held_out": None},
    "nothing is changed": {"change": {}, "deleted": (), "links": {}},
    "unchanged: ": {"change": dict(CHEAT.before)},
    "not in the base: no/such.py": {"deleted": ("no/such.py",)},
    "no held-out test": {"held_out": load.HeldOut({}, ("true",))},
    "../up.py is not a place": {"change": {"../up.py": ""}},
    "held_out/x.py is not a place": {"change": {"held_out/x.py": ""}},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_case_is_refused(fault: str) -> None:
    assert fault in "; ".join(load.faults(replace(CHEAT, **FAULTS[fault])))


def test_a_right_case_has_no_faults() -> None:
    assert list(load.faults(CHEAT)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"base": "shop", "cheat": 1}', "cheat"),
        ('{"base": "shop", "surprise": 1}', "surprise"),
        ('{"base": "nowhere"}', "nowhere"),
        ("{", "case.json"),
    ],
)
def test_a_case_of_the_wrong_shape_is_refused(tmp_path: Path, text: str, message: str) -> None:
    folder = tmp_path / "python" / "some-case"
    folder.mkdir(parents=True)
    (folder / "case.json").write_text(text)
    with pytest.raises(load.CorpusError, match=message):
        load.load(folder)
