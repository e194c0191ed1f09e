"""What follows from a fact, and who may say otherwise."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ralph.domain.evidence import Fact, FactKind, Weight
from ralph.domain.settings import VerificationSettings
from ralph.domain.task import Task
from ralph.proof.difference import ChangedLines, facts
from ralph.proof.weigh import DEFAULTS, heaviest, weigh

TASK = Task("A", "One")
PLAIN = VerificationSettings()
REMOVED = Fact(FactKind.TEST_REMOVED, "x", tests=("tests/test_a.py::test_a", "tests/b.py::test_b"))


def weight(fact: Fact, task: Task = TASK, settings: VerificationSettings = PLAIN) -> Weight:
    (found,) = weigh([fact], task, settings)
    return found.weight


@pytest.mark.parametrize("kind", FactKind)
def test_every_fact_has_a_weight(kind: FactKind) -> None:
    assert weight(Fact(kind, "x")) is DEFAULTS[kind]


@pytest.mark.parametrize("chosen", Weight)
def test_the_settings_can_give_another(chosen: Weight) -> None:
    settings = replace(PLAIN, **{chosen.value: ("smell",)})
    assert weight(Fact(FactKind.SMELL, "x"), settings=settings) is chosen


def test_of_two_the_heavier_counts() -> None:
    settings = replace(PLAIN, note=("smell",), reject=("smell",))
    assert weight(Fact(FactKind.SMELL, "x"), settings=settings) is Weight.REJECT


def test_what_a_task_allows_is_noted_whatever_the_settings_say() -> None:
    settings = replace(PLAIN, reject=("smell",))
    assert weight(Fact(FactKind.SMELL, "x"), replace(TASK, allow=("smell",)), settings) is (
        Weight.NOTE
    )


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (("tests/test_a.py", "tests/b.py"), Weight.NOTE),
        (("tests/*",), Weight.NOTE),
        (("tests",), Weight.NOTE),
        (("test_a", "test_b"), Weight.NOTE),
        (("tests/test_a.py",), Weight.ASK),
        (("other/*",), Weight.ASK),
        ((), Weight.ASK),
    ],
)
def test_declared_tests_may_change_if_all_of_them_are_declared(
    patterns: tuple[str, ...], expected: Weight
) -> None:
    assert weight(REMOVED, replace(TASK, may_change_tests=patterns)) is expected


def test_declaring_tests_excuses_nothing_else() -> None:
    task = replace(TASK, may_change_tests=("*",))
    assert weight(Fact(FactKind.SMELL, "x", path="tests/a.py"), task) is Weight.ASK


def test_a_proof_that_is_required_makes_a_missing_one_a_question() -> None:
    missing = Fact(FactKind.NO_RED_TEST, "x")
    assert weight(missing) is Weight.NOTE
    assert weight(missing, settings=replace(PLAIN, require="proven")) is Weight.ASK


def test_the_heaviest_of_several() -> None:
    facts = [Fact(kind, "x") for kind in (FactKind.FLAKY, FactKind.SMELL, FactKind.SECRET)]
    assert heaviest(weigh(facts, TASK, PLAIN)) is Weight.REJECT
    assert heaviest(weigh(facts[:2], TASK, PLAIN)) is Weight.ASK
    assert heaviest(()) is None


def test_a_fact_may_say_its_own_weight() -> None:
    assert weight(Fact(FactKind.SECRET, "x")) is Weight.REJECT
    assert weight(Fact(FactKind.SECRET, "x", weight=Weight.ASK)) is Weight.ASK


def test_a_key_in_the_data_of_tests_is_asked_about() -> None:
    key = "-----BEGIN EC PRIVATE " + "KEY-----\nMHcCAQEE\n"
    paths = ["tests/data/ec.pem", "src/app.py"]
    changes = {path: ChangedLines(added=key) for path in paths}
    found = facts(paths, changes, lambda _: "", lambda _: "", TASK, ())
    told = {one.path: weight(one) for one in found if one.kind is FactKind.SECRET}
    assert told == {"tests/data/ec.pem": Weight.ASK, "src/app.py": Weight.REJECT}
