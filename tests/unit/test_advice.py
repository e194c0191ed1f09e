"""What follows from looking at the past."""

from __future__ import annotations

import pytest
import yaml

from ralph.domain.settings import VerificationSettings
from ralph.domain.task import shell
from ralph.domain.verdict import Level, Verdict
from ralph.flows.calibrate.advice import Looked, difference, sentence, suggested, with_settings
from ralph.flows.calibrate.replay import Replayed, ReplayOutcome


def row(outcome: ReplayOutcome, seconds: float = 2) -> Replayed:
    verdict = Verdict(passed=True, level=Level.PROVEN, why="")
    return Replayed("c" * 40, "Add it", outcome, Level.PROVEN, "", False, (), 1, seconds, verdict)


def looked(*outcomes: ReplayOutcome, **more: object) -> Looked:
    return Looked((shell("pytest"),), 1.0, tuple(map(row, outcomes)), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcomes", "begins"),
    [
        ([ReplayOutcome.SETTLED] * 10, "You can leave Ralph alone"),
        (
            [ReplayOutcome.SETTLED] * 7 + [ReplayOutcome.ASKED] * 3,
            "Ralph will ask you now and then",
        ),
        ([ReplayOutcome.SETTLED, *[ReplayOutcome.ASKED] * 2], "Ralph would ask you about much"),
        ([ReplayOutcome.SETTLED], "Too little to conclude from: 1 of 1 commit would"),
        ([ReplayOutcome.SETTLED, ReplayOutcome.REJECTED], "Not yet"),
        ([ReplayOutcome.SETTLED] * 9 + [ReplayOutcome.REJECTED], "Not yet"),
        ([ReplayOutcome.UNFIT] * 3, "No result"),
    ],
)
def test_a_sentence_to_decide_by(outcomes: list[ReplayOutcome], begins: str) -> None:
    assert sentence(looked(*outcomes)).startswith(begins)


def test_settings_that_fit() -> None:
    made = looked(ReplayOutcome.SETTLED, carried=("src/_version.py",))
    found = suggested(made, VerificationSettings(carry=(".venv",)))
    assert found == {"commands": ["pytest"], "carry": [".venv", "src/_version.py"]}
    assert suggested(looked(ReplayOutcome.UNFIT), VerificationSettings()) == {}, (
        "checks that never pass"
    )
    given = VerificationSettings(commands=(("make",),), timeout_minutes=1)
    slow = Looked((("make",),), 60.0)
    assert suggested(slow, given) == {"timeout_minutes": 4.0}


YAML = """\
# mine
loop:
  max_iterations: 5  # enough
verification:
  # the checks
  commands:
    - pytest -q
    - ruff check
  carry: [.venv]
safety:
  sandbox: true
"""


@pytest.mark.parametrize("before", ["", "loop:\n  max_iterations: 5\n", YAML])
def test_they_are_put_where_they_belong(before: str) -> None:
    wanted: dict[str, list[str] | float] = {
        "commands": ["npx mocha 'test/**'", "true"],
        "carry": [".venv", "a b"],
        "timeout_minutes": 4.0,
    }
    after = with_settings(before, wanted)
    section = yaml.safe_load(after)["verification"]
    assert section == {**wanted, "timeout_minutes": 4}
    if before:
        assert "max_iterations: 5" in after
    if before == YAML:
        assert "# mine" in after
        assert "sandbox: true" in after
    assert with_settings(after, wanted) == after


def test_the_difference_can_be_applied() -> None:
    assert difference("", "a: 1\n") == "--- /dev/null\n+++ b/ralph.yaml\n@@ -0,0 +1 @@\n+a: 1\n"
    assert difference("a: 1\n", "a: 1\n") == ""
