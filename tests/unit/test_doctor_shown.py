"""How `ralph doctor` shows what was found, and what it returns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ralph.domain.diagnosis import note, ok, problem
from ralph.flows import doctor as flow
from ralph.ui.cli.main import enter

if TYPE_CHECKING:
    from ralph.domain.diagnosis import Diagnosis

FINE = ok("git", "2.39.5")
NOTED = note("sandbox", "there is none")
WRONG = problem("agent claude", "nobody is logged in", "Run `claude`\nand log in.")


def shown(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: tuple[Diagnosis, ...],
    *arguments: str,
) -> tuple[int, str]:
    async def examine(*_: object) -> tuple[Diagnosis, ...]:
        return found

    monkeypatch.setattr(flow, "examine", examine)
    monkeypatch.setenv("NO_COLOR", "1")
    return enter(["doctor", *arguments]), capsys.readouterr().out


def test_each_line_has_a_sign_and_each_problem_its_fix(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = shown(monkeypatch, capsys, (FINE, NOTED, WRONG))
    assert out.splitlines() == [
        "✓ git           2.39.5",
        "! sandbox       there is none",
        "✗ agent claude  nobody is logged in",
        "                → Run `claude` and log in.",
        "1 problem, 1 note.",
    ]
    assert code == 1


def test_notes_are_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = shown(monkeypatch, capsys, (FINE, NOTED))
    assert code == 0
    assert out.endswith("0 problems, 1 note.\n")


@pytest.mark.parametrize(("found", "code"), [((FINE, WRONG), 1), ((FINE,), 0)])
def test_json_holds_the_same(
    found: tuple[Diagnosis, ...],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    got, out = shown(monkeypatch, capsys, found, "--json")
    told = json.loads(out)
    assert got == code == told["problems"]
    assert told["diagnoses"][0] == {"subject": "git", "sign": "ok", "found": "2.39.5", "fix": ""}
    assert len(told["diagnoses"]) == len(found)


def test_nothing_that_was_found_steers_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out = shown(monkeypatch, capsys, (note("identity", "\x1b[2Jevil\x07", "\x9b1m"),))
    assert "evil" in out
    assert all(char == "\n" or char.isprintable() for char in out)
