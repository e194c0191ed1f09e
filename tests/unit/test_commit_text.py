from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.task import Kind
from ralph.repo import diff, exclude
from ralph.repo.commit import (
    OwnCommit,
    as_told,
    message,
    one_line,
    prefix,
    ref_path,
    slug,
    trailers,
)

ANY = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        (Kind.FEATURE, "feat"),
        (Kind.FIX, "fix"),
        (Kind.REFACTOR, "chore"),
        (Kind.DOCS, "chore"),
        (Kind.CHORE, "chore"),
    ],
)
def test_prefixes(kind: Kind, start: str) -> None:
    assert prefix(kind) == start
    assert message(kind, "Do it").startswith(f"{start}: Do it\n")


def test_a_whole_message() -> None:
    text = message("feat", "Add\nlogin", "Because.\n", {"Ralph-Run": "R1", "Ralph-Task": ""})
    assert text == "feat: Add login\n\nBecause.\n\nRalph-Run: R1\n"


def test_a_body_cannot_forge_a_trailer() -> None:
    text = message("feat", "x", "Ralph-Task: forged", {"Ralph-Task": "T-1"})
    assert trailers(text) == {"Ralph-Task": "T-1"}


@given(ANY, ANY, ANY)
def test_any_text_makes_a_sound_message(title: str, body: str, value: str) -> None:
    text = message(Kind.FEATURE, title, body, {"Ralph-Task": value})
    subject, blank, *_ = [*text.split("\n"), ""]
    assert len(subject) <= 72
    assert re.match(r"feat: [^\s-]", subject)
    assert blank == ""
    assert text.encode("utf-8")
    assert "\0" not in text
    assert trailers(text).get("Ralph-Task", "") == one_line(value)


@given(ANY)
def test_any_text_makes_a_slug(text: str) -> None:
    made = slug(text)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", made)
    assert len(made) <= 50


def test_slugs_read_well_and_differ() -> None:
    assert slug("Añadir: Login & Co.") == "anadir-login-co"
    assert slug("登录") != slug("注销")


@given(ANY)
def test_any_name_makes_a_ref(name: str) -> None:
    for part in ref_path(name).split("/"):
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", part)
        assert ".." not in part
        assert not part.endswith((".", ".lock"))


def test_a_ref_keeps_what_is_fit() -> None:
    assert ref_path("R1/3-T-1.2") == "R1/3-T-1.2"
    assert ref_path("../..") == "work"
    assert ref_path("a.lock.lock/b") == "a/b"


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        (".ralph/logs/x", True),
        (".agent/scratchpad.md", True),
        (".ralph/tasks/a.json", False),
        (".ralph/parent-task-id", False),
        ("src/.ralph/x", False),
        (".ralphx", False),
    ],
)
def test_our_own_folders(name: str, ours: bool) -> None:
    assert exclude.is_ours(name) is ours


def test_renames_are_parsed() -> None:
    raw = b":100644 100644 aaa bbb R090\0old\tname\0new\nname\0:000000 100644 000 ccc A\0pic.png\0"
    moved, picture = diff.parse(raw)
    assert (moved.path, moved.old, moved.status) == ("new\nname", "old\tname", "R")
    assert (picture.path, picture.status, picture.blob) == ("pic.png", "A", "ccc")


def test_a_long_name_is_not_cut_into_a_lock() -> None:
    assert ref_path("a" * 75 + ".lock-and-more") == "a" * 75


def test_an_agent_s_own_words_come_with_the_trailers_of_ralph() -> None:
    one = OwnCommit("Add a parser\n\nRalph-Task: forged", "A <a@b> 1 +0000")
    told = as_told([one], "Parse it", {"Ralph-Task": "T1"})
    assert told == "Add a parser\n\nRalph-Task: forged\n\nRalph-Task: T1\n"
    assert trailers(told) == {"Ralph-Task": "T1"}
    two = OwnCommit("Mend\x07it", "")
    several = as_told([one, two], "Parse it", {"Ralph-Task": "T1"})
    assert several.startswith("Parse it\n\nAdd a parser\n\n")
    assert "Mend it" in several
