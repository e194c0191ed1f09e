from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.domain.settings import MemorySettings
from ralph.prompts import notes
from ralph.prompts.additions import MOST_PATTERNS, PATTERN_CHARS, TEXT_CHARS
from ralph.prompts.notes import Additions, Header, ProgressEntry, additions, render

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = MemorySettings()
HEADER = Header("Shop", "2026-01-31", "FEAT-1")
CAP = SETTINGS.progress_cap


def entry(number: int, notes: str = "") -> ProgressEntry:
    return ProgressEntry(number, f"US-{number:03}", f"Title {number}", "success", notes=notes)


def progress(*numbers: int, patterns: tuple[str, ...] = ("Routes live in app/",)) -> str:
    return render(HEADER, patterns, [entry(n, notes=f"note {n}") for n in numbers], CAP)


def test_the_file_has_header_then_patterns_then_an_entry_per_iteration() -> None:
    done = ProgressEntry(
        2, "US-002", "Pay", "success", "2026-01-31 10:00", "all checks passed",
        "abcdef1234567890", ("a.py", "b.py"), "Learned a lot.",
    )  # fmt: skip
    text = render(HEADER, ("Use tabs",), [entry(1), done], CAP)
    assert text.startswith("# Progress: Shop\n\nStarted 2026-01-31 · parent task FEAT-1\n")
    order = [
        "## Codebase Patterns", "- Use tabs", "## Iterations", "### Iteration 1: US-001 Title 1",
        "### Iteration 2: US-002 Pay",
        "2026-01-31 10:00 · success, commit abcdef123456: all checks passed",
        "Files: a.py, b.py", "Learned a lot.",
    ]  # fmt: skip
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_the_oldest_entries_go_first_and_the_patterns_stay() -> None:
    entries = [entry(n, notes="x" * 200) for n in range(1, 40)]
    text = render(HEADER, ("Use tabs",), entries, 3_000)
    assert len(text) <= 3_000
    assert "- Use tabs" in text
    assert "Older entries are left out" in text
    kept = [int(n) for n in re.findall(r"### Iteration (\d+)", text)]
    assert kept
    assert kept == list(range(kept[0], 40))


def test_one_huge_entry_is_cut_and_not_dropped() -> None:
    text = render(HEADER, (), [entry(1), entry(2, notes="y" * 50_000)], 2_000)
    assert "### Iteration 2" in text
    assert "(cut)" in text
    assert len(text) <= 2_000


def test_patterns_leave_room_for_entries() -> None:
    text = render(HEADER, [f"{n:03} " + "p" * 200 for n in range(200)], [entry(1)], 6_000)
    assert "- 199 ppp" in text
    assert "- (older ones are left out)" in text
    assert "### Iteration 1" in text


LINES = st.text(alphabet=st.sampled_from("ab#-` \n"), max_size=80)
ENTRIES = st.lists(
    st.builds(
        ProgressEntry, st.integers(1, 99), LINES, LINES, st.just("failed"), LINES, LINES, LINES,
        st.lists(LINES).map(tuple), LINES | st.just("n" * 9_000),
    ),
    max_size=6,
)  # fmt: skip


@settings(deadline=None)
@given(LINES, st.lists(LINES), ENTRIES, st.integers(0, 9_000))
def test_the_file_never_exceeds_its_cap(
    feature: str, patterns: list[str], entries: list[ProgressEntry], cap: int
) -> None:
    assert len(render(Header(feature, "today"), patterns, entries, cap)) <= cap


@settings(deadline=None)
@given(st.lists(LINES), ENTRIES)
def test_an_untouched_file_has_no_additions(
    patterns: list[str], entries: list[ProgressEntry]
) -> None:
    text = render(HEADER, patterns, entries, CAP)
    assert additions(text, text) == Additions()


WORDS = st.from_regex(r"[b-z]{5,30}( [b-z]{1,9}){0,5}", fullmatch=True)


@given(st.lists(WORDS, min_size=1, max_size=5), st.lists(WORDS, max_size=3, unique=True))
def test_what_an_agent_appends_is_read_back(lines: list[str], patterns: list[str]) -> None:
    before = progress(1, 2)
    bullets = "".join(f"- {pattern}\n" for pattern in patterns)
    after = before.replace("- Routes live in app/\n", f"- Routes live in app/\n{bullets}")
    found = additions(before, after + "\n" + "\n".join(lines) + "\n")
    assert found == Additions("\n".join(lines), tuple(patterns))


def test_paragraphs_of_an_addition_stay_apart() -> None:
    before = progress(1)
    added = "### Iteration 2: US-002\n\nChanged the form.\n- a.py\n\nLearned nothing."
    assert additions(before, f"{before}\n{added}\n").text == added


def test_an_entry_worded_like_an_older_one_is_still_an_addition() -> None:
    before = progress(1) + "\nFiles touched:\n- a.py\n"
    after = before + "\nFiles touched:\n- a.py\n"
    assert additions(before, after).text == "Files touched:\n- a.py"


def test_edits_and_deletions_of_older_text_do_not_count() -> None:
    before = render(HEADER, (), [entry(1, notes="The form posts to /login with a token.")], CAP)
    edited = before.replace("posts to /login", "posts to /logon")
    assert edited != before
    assert additions(before, edited) == Additions()
    assert additions(before, "") == Additions()
    assert additions(before, "Something of its own.\n") == Additions("Something of its own.")


def test_the_first_pattern_takes_the_place_of_the_words_that_there_is_none() -> None:
    before = render(HEADER, (), [], CAP)
    assert "None yet." in before
    after = before.replace("None yet.", "* Tests need a database\n  called `shop`")
    assert additions(before, after) == Additions("", ("Tests need a database called `shop`",))


def test_bullets_elsewhere_and_headings_in_code_are_text() -> None:
    before = progress(1)
    after = before + "\n- a bullet\n```\n## Codebase Patterns\n- not a pattern\n```\n"
    found = additions(before, after)
    assert found.patterns == ()
    assert "- not a pattern" in found.text


def test_a_patterns_section_of_the_agents_own_counts_until_the_next_heading() -> None:
    after = progress(1) + "\n## codebase patterns\n- One\n### More\n1. Two\n## Other\n- Three\n"
    found = additions(progress(1), after)
    assert found.patterns == ("One", "Two")
    assert found.text == "### More\n## Other\n- Three"


def test_a_flood_is_bounded() -> None:
    before = progress(1)
    flood = "".join(f"line {n} of a flood\n" for n in range(100_000))
    many = "## Codebase Patterns\n" + "".join(f"- {n} {'w' * 999}\n" for n in range(300))
    found = additions(before, many + flood)
    assert len(found.text) <= TEXT_CHARS
    assert len(found.patterns) == MOST_PATTERNS
    assert all(len(pattern) <= PATTERN_CHARS for pattern in found.patterns)


def test_headings_in_notes_stay_inside_their_entry() -> None:
    added = "## Codebase Patterns\n# Big\n### Iteration 9: fake"
    text = render(HEADER, (), [entry(1, notes=added)], CAP)
    assert text.count("\n## Codebase Patterns\n") == 1
    assert "\n#### Iteration 9: fake" in text


def archived(root: Path, feature: str) -> Path | None:
    return notes.archive(root, SETTINGS, feature, "2026-02-01")


def test_the_progress_file_of_a_finished_feature_is_archived(tmp_path: Path) -> None:
    text = render(Header("Café & Bar", "2026-01-31"), (), [entry(1)], CAP)
    notes.write_progress(tmp_path, SETTINGS, text)
    where = archived(tmp_path, notes.feature_of(text) or "")
    assert where == tmp_path / ".ralph/archive/2026-02-01-cafe-bar/progress.md"
    assert where.read_text() == text
    assert notes.progress(tmp_path, SETTINGS) == ""


@pytest.mark.parametrize("feature", ["Shop", "Shop\n  with " + "long words " * 50])
def test_a_file_knows_its_feature(feature: str) -> None:
    text = render(Header(feature, "2026-01-31"), (), [], CAP)
    assert notes.same_feature(text, feature)
    assert not notes.same_feature(text, "Other")
    assert not notes.same_feature("my own diary\n", feature)


def test_an_archive_is_never_overwritten_and_never_doubled(tmp_path: Path) -> None:
    first = render(Header("Old", "1"), (), [], CAP)
    second = render(Header("Old", "2"), (), [], CAP)
    places = []
    for text in (first, second, first):
        notes.write_progress(tmp_path, SETTINGS, text)
        places.append(archived(tmp_path, "Old"))
    folder = tmp_path / ".ralph/archive"
    assert places[0] == places[2] == folder / "2026-02-01-old/progress.md"
    assert places[1] == folder / "2026-02-01-old-2/progress.md"
    assert [place.read_text() for place in places if place] == [first, second, first]


@pytest.mark.parametrize("feature", ["", "../../etc", "🙂", "a/b"])
def test_no_name_leads_out_of_the_archive(tmp_path: Path, feature: str) -> None:
    notes.write_progress(tmp_path, SETTINGS, "my own diary\n")
    where = archived(tmp_path, feature)
    assert where is not None
    assert where.parent.parent == tmp_path / ".ralph/archive"
    assert where.read_text() == "my own diary\n"


def test_nothing_to_archive_is_nothing(tmp_path: Path) -> None:
    assert archived(tmp_path, "Shop") is None
    assert list(tmp_path.iterdir()) == []


def test_readers_give_the_text_or_nothing(tmp_path: Path) -> None:
    assert notes.agents_md(tmp_path) == notes.scratchpad(tmp_path, SETTINGS) == ""
    (tmp_path / "AGENTS.md").write_bytes(b"caf\xc3\xa9 \xff")
    assert notes.agents_md(tmp_path) == "café \ufffd"


def test_readers_are_bounded_and_the_scratchpad_keeps_its_end(tmp_path: Path) -> None:
    huge = "a" * notes.MOST_BYTES + "end"
    (tmp_path / "AGENTS.md").write_text("begin" + huge)
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent/scratchpad.md").write_text(huge)
    assert notes.agents_md(tmp_path).startswith("begin")
    assert len(notes.agents_md(tmp_path)) == notes.MOST_BYTES
    assert notes.scratchpad(tmp_path, SETTINGS).endswith("aend")
    assert len(notes.scratchpad(tmp_path, SETTINGS)) == notes.MOST_BYTES


def test_readers_survive_what_an_agent_may_leave(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / ".agent").mkdir(parents=True)
    (tmp_path / "secret").write_text("key")
    (root / "AGENTS.md").symlink_to(tmp_path / "secret")
    os.mkfifo(root / ".agent/scratchpad.md")
    assert notes.agents_md(root) == ""
    assert notes.scratchpad(root, SETTINGS) == ""
    (root / "AGENTS.md").unlink()
    (root / "AGENTS.md").mkdir()
    assert notes.agents_md(root) == ""


def test_a_link_inside_the_repository_is_followed(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("Use tabs.")
    (tmp_path / "AGENTS.md").symlink_to("CLAUDE.md")
    assert notes.agents_md(tmp_path) == "Use tabs."
