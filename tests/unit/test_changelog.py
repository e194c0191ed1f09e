from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import ralph

TEXT = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def test_every_second_heading_is_a_release_or_what_comes_next() -> None:
    headings = re.findall(r"^## .*$", TEXT, re.MULTILINE)

    assert headings
    assert [h for h in headings if not RELEASE.fullmatch(h) and h != "## Unreleased"] == []


def test_the_newest_release_is_this_version() -> None:
    newest = RELEASE.search(TEXT)

    assert newest
    assert newest[1] == ralph.__version__


def test_releases_are_in_order_newest_first() -> None:
    versions = [tuple(map(int, v.split("."))) for v, _ in RELEASE.findall(TEXT)]
    dates = [date.fromisoformat(day) for _, day in RELEASE.findall(TEXT)]

    assert versions == sorted(set(versions), reverse=True)
    assert dates == sorted(dates, reverse=True)


def test_changes_are_sorted_into_the_usual_kinds() -> None:
    assert set(re.findall(r"^### (.*)$", TEXT, re.MULTILINE)) <= set(KINDS)


def test_every_entry_is_a_sentence() -> None:
    entries = re.findall(r"^- ((?:.+\n(?:  .+\n)*))", TEXT, re.MULTILINE)

    assert entries
    assert [entry for entry in entries if not entry.rstrip().endswith(".")] == []
