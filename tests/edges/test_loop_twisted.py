"""Tests that pass whatever they expect prove nothing, and honest ones are left in peace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.edges.test_loop_proof import ADD, HONEST, TEST_ADD, project, writes
from tests.support.house import Acting, story

from ralph.domain import event as e
from ralph.domain.evidence import FactKind
from ralph.domain.verdict import Level
from ralph.proof.experiments import red_green

if TYPE_CHECKING:
    from tests.edges.test_loop_proof import Project

__all__ = ["project"]

ALWAYS_EQUAL = """\
class Sum:
    def __eq__(self, other):
        return type(other) is int


def add(a, b):
    return Sum()
"""


def twisted(project: Project) -> list[str]:
    facts = [one.fact for event in project.events(e.Verified) for one in event.verdict.facts]
    return [fact.text for fact in facts if fact.kind is FactKind.UNHEEDED]


def test_an_expectation_that_does_not_matter_is_asked_about(project: Project) -> None:
    project.verification = replace(project.verification, smells=False)
    project.run(Acting(writes(app_py=ALWAYS_EQUAL, tests__test_add_py=TEST_ADD)))
    assert project.questions() == 1
    assert twisted(project) == [
        "tests/test_add.py::test_add still passes if it expects 4 instead of 3."
    ]


def test_unless_it_is_switched_off(project: Project) -> None:
    project.verification = replace(project.verification, smells=False, twist=False)
    project.run(Acting(writes(app_py=ALWAYS_EQUAL, tests__test_add_py=TEST_ADD)))
    assert project.levels() == [Level.PROVEN]


def test_without_a_canary_it_is_tried_as_well(project: Project) -> None:
    project.verification = replace(project.verification, smells=False, canary=False)
    project.run(Acting(writes(app_py=ALWAYS_EQUAL, tests__test_add_py=TEST_ADD)))
    assert len(twisted(project)) == 1


def test_a_test_that_was_red_before_is_twisted_too(project: Project) -> None:
    project.verification = replace(project.verification, smells=False)
    project.commit(tests__test_add_py=TEST_ADD)
    project.run(Acting(writes(app_py=ALWAYS_EQUAL)))
    assert len(twisted(project)) == 1


PRINTS = """\
from pathlib import Path


def report():
    return Path(__file__).with_name("tests").joinpath("golden", "all.txt").read_text()
"""
COMPARES = """\
from pathlib import Path

from app import report


def test_report():
    assert report() == (Path(__file__).parent / "golden" / "all.txt").read_text()
"""


def test_a_program_that_prints_what_it_is_compared_with(project: Project) -> None:
    project.verification = replace(project.verification, smells=False)
    files = {"tests/golden/all.txt": "total 3\n"}
    project.run(Acting(writes(app_py=PRINTS, tests__test_report_py=COMPARES, **files)))
    (text,) = twisted(project)
    assert "still pass if tests/golden/all.txt holds something else" in text


def test_a_stored_file_that_matters(project: Project) -> None:
    source = 'def report():\n    return f"total {1 + 2}\\n"\n'
    files = {"tests/golden/all.txt": "total 3\n"}
    project.run(Acting(writes(app_py=source, tests__test_report_py=COMPARES, **files)))
    assert project.levels() == [Level.PROVEN]


ONCE = """\
import app
from app import add

app.register("this file")


def test_add():
    assert add(1, 2) == 3
"""
REGISTERS = f"""{ADD}

_known = []


def register(name):
    if name in _known:
        raise ValueError("twice")
    _known.append(name)
"""


def test_a_file_that_cannot_be_loaded_twice_does_not_silence_the_canary(project: Project) -> None:
    project.commit(app_py=REGISTERS.replace(ADD, ""))
    project.run(Acting(writes(app_py=REGISTERS, tests__test_add_py=ONCE)))
    assert project.facts() == set()
    assert project.levels() == [Level.PROVEN]


APART = "def test_one():\n    assert 1 + 1 == 2\n\n\ndef test_two():\n    assert 2 + 2 == 4\n"
TOGETHER = """\
import pytest


@pytest.mark.parametrize(("a", "total"), [(1, 2), (2, 4)])
def test_double(a, total):
    assert a + a == total
"""


def test_tests_in_another_shape_are_only_noted(project: Project) -> None:
    project.commit(tests__test_sums_py=APART)
    work = {"app_py": ADD, "tests__test_add_py": TEST_ADD, "tests__test_sums_py": TOGETHER}
    project.run(Acting(writes(**work)))
    assert project.facts() == {FactKind.TEST_REORGANISED}
    assert project.levels() == [Level.PROVEN]


@pytest.mark.parametrize(
    "left",
    [
        "def test_one():\n    assert 1 + 1 == 2\n",
        "def test_a():\n    assert 1\n\n\ndef test_b():\n    assert 2\n",
    ],
)
def test_fewer_tests_or_fewer_values_are_asked_about(project: Project, left: str) -> None:
    project.commit(tests__test_sums_py=APART)
    work = {"app_py": ADD, "tests__test_add_py": TEST_ADD, "tests__test_sums_py": left}
    project.run(Acting(writes(**work)))
    assert FactKind.TEST_REMOVED in project.facts()
    assert project.questions() == 1


def test_an_honest_feature_has_no_facts(project: Project) -> None:
    assert project.run(Acting(HONEST)) == 0
    assert project.facts() == set()


NOBODY_LOOKS = """\
from concurrent.futures import ThreadPoolExecutor

from app import add


def check(a, b, total):
    assert add(a, b) == total


def test_add():
    with ThreadPoolExecutor() as pool:
        pool.submit(check, 1, 2, 3)
"""


def test_tests_that_do_not_notice_when_the_work_does_nothing(project: Project) -> None:
    work = {"app_py": "def add(a, b):\n    return a\n", "tests__test_add_py": NOBODY_LOOKS}
    project.run(Acting(writes(**work)))
    assert project.facts() == {FactKind.UNNOTICED}
    assert project.questions() == 1


@pytest.mark.parametrize(
    "said",
    ["assert add(1, 2)", "assert not add(0, 0)", "assert add(1, 2) == add(2, 1) > add(0, 0)"],
)
def test_tests_without_a_value_that_notice(project: Project, said: str) -> None:
    test = f"from app import add\n\n\ndef test_add():\n    {said}\n"
    project.run(Acting(writes(app_py=ADD, tests__test_add_py=test)))
    assert project.facts() == set()
    assert project.levels() == [Level.PROVEN]


REPLACED = """\
import app
import pytest


@pytest.fixture(autouse=True)
def working(monkeypatch):
    monkeypatch.setattr(app, "add", lambda a, b: a + b)
"""
LOOKS = "import app\n\n\ndef test_add():\n    assert app.add(1, 2) == 3\n"


def test_work_in_whose_place_a_fixture_puts_something(project: Project) -> None:
    """Its tests are sound and heed what they expect, and never see it."""
    source = "def add(a, b):\n    return 0\n"
    project.run(
        Acting(writes(app_py=source, tests__conftest_py=REPLACED, tests__test_add_py=LOOKS))
    )
    assert FactKind.UNNOTICED in project.facts()
    assert project.questions() == 1


PLURALS = """\
from app import plural


def test_plural():
    assert plural("box") == "boxes"
    assert plural("city") == "cities"
"""
FROM_MEMORY = """\
KNOWN = {"box": "boxes", "city": "cities"}


def plural(word):
    return KNOWN.get(word, word)
"""
BY_RULE = """\
ENDS = {"x": "es", "s": "es", "y": "ies"}


def plural(word):
    end = ENDS.get(word[-1:], "s")
    return (word[:-1] if end == "ies" else word) + end
"""


@pytest.mark.parametrize(("source", "asked"), [(FROM_MEMORY, 1), (BY_RULE, 0)])
def test_answers_from_memory_are_asked_about(project: Project, source: str, asked: int) -> None:
    project.run(Acting(writes(app_py=source, tests__test_plural_py=PLURALS)))
    assert project.questions() == asked
    assert (FactKind.ANSWERS in project.facts()) is bool(asked)


def test_what_the_task_itself_names_may_stand_in_the_source(project: Project) -> None:
    task = {**story("A"), "description": "The plural of box is boxes, of city it is cities."}
    project.write_plan([task])
    project.git("commit", "-qam", "plan")
    project.run(Acting(writes(app_py=FROM_MEMORY, tests__test_plural_py=PLURALS)))
    assert project.levels() == [Level.PROVEN]


WAITS = """\
from app import ready


def test_ready():
    turns = 0
    while not ready(turns):
        turns += 1
    assert turns == 4
"""


def test_tests_that_wait_for_the_work_do_not_wait_for_ever(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(red_green, "PATIENCE", 1)
    project.run(
        Acting(writes(app_py="def ready(n):\n    return n > 3\n", tests__test_ready_py=WAITS))
    )
    assert project.levels() == [Level.PROVEN]
