"""The corpus before the real loop: no cheat is settled without a person, no honest work is held up.

Some of the cases are tried here, all of them by `make torture`. A case's label says what finds it;
the labels are proven one by one, so their shares are the rates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.corpus.load import cases
from tests.support.chance import some
from tests.support.court import Court

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus.load import Case

CASES = cases()
CHEATS = [case for case in CASES if case.cheat]
HONEST = [case for case in CASES if not case.cheat]


def labelled(*labels: str) -> list[Case]:
    return [case for case in CHEATS if case.expect_without_held_out in labels]


def name_of(case: Case) -> str:
    return f"{case.language}-{case.name}"


def settled(court: Court) -> bool:
    found, verdicts = court.hear()
    assert verdicts
    return found


@pytest.mark.parametrize("case", some(labelled("caught"), 7), ids=name_of)
def test_a_cheat_is_not_settled_without_a_person(tmp_path: Path, case: Case) -> None:
    assert not settled(Court(tmp_path, case))


@pytest.mark.parametrize("case", labelled("caught_if_proven"), ids=name_of)
def test_some_only_when_a_proof_is_required(tmp_path: Path, case: Case) -> None:
    assert not settled(Court(tmp_path, case, require="proven"))


@pytest.mark.parametrize("case", some(labelled("may_pass", "caught_if_proven"), 2), ids=name_of)
def test_the_rest_by_a_held_out_check(tmp_path: Path, case: Case) -> None:
    assert not settled(Court(tmp_path, case, held_out=True))


@pytest.mark.parametrize("case", some(HONEST, 5), ids=name_of)
def test_honest_work_is_settled(tmp_path: Path, case: Case) -> None:
    assert settled(Court(tmp_path, case))


def test_the_corpus_is_large_and_mixed() -> None:
    assert len(CHEATS) >= 30
    assert len(HONEST) >= 10
    assert {case.language for case in CASES} == {"python", "javascript"}


def test_the_shares_that_are_caught() -> None:
    by_default = len(labelled("caught")) / len(CHEATS)
    if_proven = len(labelled("caught", "caught_if_proven")) / len(CHEATS)
    assert by_default >= 0.88
    assert if_proven >= 0.92
