"""A comment that silences a tool matters where a check runs the tool."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.proof.experiments.silenced import (
    EXAMPLES,
    is_looking,
    more_than,
    silences,
    suppressions,
    unsuppressed,
)


@pytest.mark.parametrize(
    ("line", "tool"),
    [
        ("x = 1  # type: ignore[assignment]", "mypy"),
        ("import os  # noqa: F401", "ruff"),
        ("# ruff: noqa", "flake8"),
        ("x()  # pragma: no cover", "coverage"),
        ("// eslint-disable-next-line no-eval", "eslint"),
        ("// @ts-expect-error", "tsc"),
        ("/* c8 ignore next */", "c8"),
        ("#[allow(dead_code)]", "clippy"),
        ("#[allow(dead_code)]", "cargo"),
    ],
)
def test_who_is_silenced(line: str, tool: str) -> None:
    ((said, tools),) = suppressions(f"a = 1\n{line}\n")
    assert said == line.strip()
    assert silences(tools, {tool, "pytest"}, told=True)
    assert not silences(tools, {"pytest", "node"}, told=True)
    assert is_looking({tool})
    assert not suppressions(unsuppressed(f"a = 1\n{line}\n", (1, 2, 3)))
    assert unsuppressed(f"{line}\n{line}", (2,)).startswith(f"{line}\n")


@given(st.text(), st.lists(st.integers(1, 20)))
def test_only_comments_are_taken_away(text: str, at: list[int]) -> None:
    spoken = unsuppressed(text, at)
    assert len(spoken.split("\n")) == len(text.split("\n"))
    assert spoken == text or suppressions(text)


def test_of_a_check_that_nobody_knows_the_worst_is_assumed() -> None:
    ((_, tools),) = suppressions("x = 1  # noqa\n")
    assert silences(tools, {"./check"}, told=False)


def test_examples_are_a_matter_of_their_own() -> None:
    ((_, tools),) = suppressions(">>> f()  # doctest: +SKIP\n")
    assert tools is EXAMPLES


def test_ordinary_comments_are_none() -> None:
    assert suppressions("# a note\nignore = 1\n// type of thing\n") == ()
    assert not is_looking({"pytest", "node", "python"})


def test_what_takes_the_place_of_another_silences_nothing_new() -> None:
    old, new = "// @ts-ignore\nf(1)\n", "// @ts-expect-error a number\nf(1)\n"
    assert not list(more_than(old, new))
    assert [line for line, _ in more_than(old, new + new)] == ["// @ts-expect-error a number"]
    assert len(list(more_than("# noqa\n", new))) == 1
