"""One prompt of each kind, as the loop writes it, is kept in tests/prompts/KIND.md to be read.

`RALPH_PROMPTS=write pytest tests/edges/test_prompts.py` writes these files and the table of their
sizes in docs/reference/prompt-templates.md anew: read aloud what has changed.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.support.house import Acting, Person
from tests.support.light import Light

from ralph import process
from ralph.domain.question import Choice, Reply
from ralph.domain.settings import LoopSettings, PromptSettings
from ralph.domain.task import Task
from ralph.prompts.compose import Bundle, compose
from ralph.prompts.template import built_in, load
from ralph.proof.told import ToldProver

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.job import Job
    from ralph.domain.settings import Settings
    from ralph.domain.verdict import Verdict
    from ralph.ledger.journal import Journal
    from ralph.loop.ports import Prover, Workspace
    from ralph.proof.subject import Subject

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "prompts"
PAGE = ROOT / "docs" / "reference" / "prompt-templates.md"
WRITES = os.environ.get("RALPH_PROMPTS") == "write"

KINDS = {
    "first": 0,
    "fix_only": 1,
    "after_a_red_check": 2,
    "untested": 3,
    "after_an_answer": 5,
    "after_a_handoff": 7,
    "last_of_the_plan": 8,
}
"""Which of the prompts below is one of this kind; `fix_only` is inside the same iteration."""
CHECK = "python3 -m unittest -q"
MOST_TOKENS = 1_500
CHARS_PER_TOKEN = 4

RED = """\
FAIL: test_no_name (test_greet.Greet.test_no_name)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "test_greet.py", line 12, in test_no_name
    self.assertEqual(greet(""), "Hello, stranger!")
AssertionError: 'Hello, !' != 'Hello, stranger!'

Ran 2 tests in 0.001s

FAILED (failures=1)"""
FAILS = "these tests fail: test_greet.py::Greet::test_no_name"
ASKS = """\
The plan does not say what to do for a person who is not known.
<escalate type="deviation">
<summary>What goodbye() says without a name is open</summary>
<context>greet() says stranger; the plan has no such word for goodbye().</context>
<options>
1. Say goodbye to a stranger as well
2. Raise a ValueError
</options>
<question>Which of the two?</question>
</escalate>
"""
HANDS_OVER = """\
<checkpoint>
phase: implementing
completed:
- names.py reads one name per line
pending:
- Skip empty lines, with a test
decisions:
- No third-party parser: the format is one name per line
next steps:
- Write test_names.py first
</checkpoint>
<handoff>Most of my context is used</handoff>
"""


def task(name: str, title: str, text: str, *criteria: str) -> dict[str, Any]:
    own = {"id": name, "title": title, "description": text}
    return {**own, "criteria": list(criteria), "passes": False}


STORIES = [
    task(
        "US-001",
        "Greet a person by name",
        "greet(name) in greet.py returns the greeting. Nobody is left without one.",
        'greet("Ada") is "Hello, Ada!"',
        'greet("") is "Hello, stranger!"',
    ),
    task("US-002", "Say goodbye", "goodbye(name) does the same.", 'goodbye("Ada") is "Bye, Ada!"'),
    task("US-003", "Read names from a file", "names(path) returns them.", "Empty lines are none"),
    task("US-004", "Greet everybody", "A program greets all names.", "One greeting per line"),
]


class _Judge(ToldProver):
    """A greeting that forgets strangers is red, and a feature needs a file with tests."""

    async def prove(self, subject: Subject) -> Verdict:
        verdict = await super().prove(subject)
        results = tuple(replace(one, tail=one.tail and RED) for one in verdict.results)
        why = verdict.why if verdict.passed else FAILS
        shown = any(change.path.startswith("test_") for change in subject.candidate.files)
        untested = verdict.passed and not shown
        return replace(verdict, results=results, why=why, untested=untested)


class Greeter(Light):
    def __post_init__(self) -> None:
        self.root.mkdir(parents=True)
        (self.root / "AGENTS.md").write_text("Python 3.11, the standard library only.\n")
        super().__post_init__()

    def write_plan(self, stories: list[dict[str, Any]]) -> None:
        text = "A small library that greets people."
        plan = {"project": "Greeter", "description": text, "userStories": stories}
        (self.root / "PRD.json").write_text(json.dumps(plan, indent=2) + "\n")

    def placed(
        self, settings: Settings, journal: Journal, *, killed: bool = False
    ) -> tuple[Workspace, Prover]:
        workspace, _ = super().placed(settings, journal, killed=killed)

        def holds(commit: str) -> bool:
            return b"stranger" in self.repository.commits[commit].files.get("greet.py", b"stranger")

        return workspace, _Judge(holds, process.run, self.root, self.folder / "held-out")


def does(say: str, **files: str) -> Callable[[Job], str]:
    def act(job: Job) -> str:
        for name, text in files.items():
            (Path(job.workspace) / f"{name}.py").write_text(f"{text}\n")
        return say

    return act


ACTS = (
    does("greet() is written.\n\nTask US-001 complete", greet="hello"),
    does("Now it holds.\n\nTask US-001 complete", greet="hello, name"),
    does("An empty name is a stranger now.\n\nTask US-001 complete", greet="hello, stranger"),
    does("Shown by a test.\n\nTask US-001 complete", test_greet="stranger"),
    does(ASKS),
    does("It raises.\n\nTask US-002 complete", bye="bye", test_bye="bye"),
    does(HANDS_OVER, names="names"),
    does("Empty lines are skipped.\n\nTask US-003 complete", test_names="names"),
    does("All are greeted.\n\nTask US-004 complete", all="all", test_all="all"),
)


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    loop = LoopSettings(backoff_cap_seconds=0, verification_retries=1)
    place = Greeter(tmp_path_factory.mktemp("greeter"), STORIES, loop, check=CHECK)
    agent = Acting(*ACTS)
    assert place.run(agent, Person(Reply(Choice.OPTION, 2))) == 0
    assert place.passed() == ["US-001", "US-002", "US-003", "US-004"]
    return [stable(job.prompt) for job in agent.jobs]


def stable(prompt: str) -> str:
    """Without what is another in every run."""
    uuid = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    return re.sub(r"\b[0-9a-f]{40}\b", "COMMIT", re.sub(uuid, "ID", prompt))


def shared(prompts: list[str]) -> str:
    """What the prompts of all tasks begin with."""
    before, mark, _ = prompts[0].partition("# Task US-")
    assert all(one.startswith(before + mark) for one in prompts)
    return before


def tokens(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


@pytest.mark.parametrize("kind", KINDS)
def test_the_prompt_of_each_kind_is_the_one_that_was_read(kind: str, prompts: list[str]) -> None:
    text, path = prompts[KINDS[kind]], GOLDEN / f"{kind}.md"
    if kind != "first":
        begins = shared(prompts)
        assert text.startswith(begins)
        text = f"(It begins as first.md.)\n\n{text.removeprefix(begins)}"
    if WRITES:
        path.write_text(text, encoding="utf-8")

    assert text == path.read_text(encoding="utf-8")


def test_what_is_the_same_for_every_task_comes_first(prompts: list[str]) -> None:
    before, after = shared(prompts), prompts[0].removeprefix(shared(prompts))

    assert before.startswith(built_in("prompt.md"))
    assert "A small library that greets people." in before
    assert "the standard library only" in before
    assert after.startswith("# Task US-001")


def test_the_first_attempt_carries_little_besides_its_task(prompts: list[str]) -> None:
    first, text = STORIES[0], prompts[0]
    own = [first["title"], first["description"], *first["criteria"], CHECK]
    assert all(words in text for words in own)

    assert tokens(text) - tokens("".join(own)) <= MOST_TOKENS, "shorten the templates"


def test_who_has_no_rules_for_closing_is_told_them(prompts: list[str]) -> None:
    bundle = Bundle(Task("T1", "Title"), prompt_md="Be kind.")
    templates = load(Path("/nowhere"), PromptSettings())
    told = compose(bundle, PromptSettings(), templates)
    edited = compose(
        replace(bundle, prompt_md=f"{built_in('prompt.md')}\nBe kind."), PromptSettings(), templates
    )

    for words in ("<escalate", "<checkpoint>", "FOLLOW-UP:", "Do not commit"):
        assert words in told
        assert edited.count(words) == built_in("prompt.md").count(words)


def test_the_sizes_are_in_the_reference(prompts: list[str]) -> None:
    rows = ["| prompt | tokens | of them before the task |", "| --- | --- | --- |"]
    for kind, number in KINDS.items():
        words, whole = kind.replace("_", " "), tokens(prompts[number])
        rows.append(f"| {words} | {whole:,} | {tokens(shared(prompts)):,} |")
    page, table = PAGE.read_text(encoding="utf-8"), "\n".join(rows)
    place = re.compile(r"(<!-- prompts -->\n).*?(\n<!-- end -->)", re.DOTALL)
    if WRITES:
        page = place.sub(lambda found: f"{found[1]}{table}{found[2]}", page)
        PAGE.write_text(page, encoding="utf-8")

    assert table in page
