from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.reading.similar import LONGEST, SHORTEST, digest, similar

REPORT = """I looked at the failing test and changed the parser so that it skips blank lines.
The suite ran in 12.3 seconds: 48 passed, 2 failed. The failures are test_empty and test_header.
Next I would look at the header, which is read twice when the file begins with a mark."""

texts = st.text(max_size=200) | st.text("ab 1\n", max_size=6_000)


def test_the_same_output_is_similar() -> None:
    assert similar(REPORT, ["something else", REPORT])


def test_only_numbers_differ() -> None:
    later = REPORT.replace("12.3", "9.81").replace("48", "1048").replace("2 failed", "13 failed")
    assert similar(later, [REPORT], threshold=1.0)


def test_a_few_words_differ() -> None:
    assert similar(REPORT.replace("blank lines", "empty lines"), [REPORT])


def test_another_report_is_not_similar() -> None:
    other = (
        "The cache is gone. Reads go to the database through one prepared statement, which is "
        "faster in the benchmark than the cache ever was, and the tests need no clock any more."
    )
    assert not similar(other, [REPORT])
    assert similar(other, [REPORT], threshold=0.1)


def test_nothing_earlier() -> None:
    assert not similar(REPORT, [])


def test_short_outputs_must_be_equal() -> None:
    assert similar("Task US-001 complete", ["Task  US-001 complete\n"])
    assert not similar("Task US-001 complete", ["Task US-002 complete"])
    assert not similar("Task US-001 complete", ["Task US-001 completed"])


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_silence_is_like_nothing(text: str) -> None:
    assert not similar(text, ["", text])


def test_stored_digests_serve_as_well_as_the_outputs() -> None:
    long = REPORT * 100
    assert similar(long, [digest(long)])
    assert similar(digest(long), [long])


def test_huge_outputs_are_cut_to_their_head_and_tail() -> None:
    head, tail = "The beginning of it all. ", " And this is how it ended."
    cut = digest(head + "x" * 10_000_000 + tail)
    assert cut.startswith(head)
    assert cut.endswith(tail)
    assert len(cut) <= LONGEST


def test_the_tail_of_long_outputs_counts() -> None:
    one, two = "alpha beta gamma " * 500, "delta epsilon zeta " * 500
    assert not similar(one + two, [one + one])


@given(texts)
def test_a_digest_is_bounded_and_stable(text: str) -> None:
    once = digest(text)
    assert len(once) <= LONGEST
    assert digest(once) == once


@given(texts, texts)
def test_similar_is_symmetric_enough_to_store_digests(one: str, two: str) -> None:
    assert similar(one, [two]) == similar(two, [digest(one)])


@given(st.text("abc ", min_size=SHORTEST, max_size=300))
def test_a_text_is_similar_to_itself(text: str) -> None:
    assert similar(text, [text], threshold=1.0) == bool(text.strip())
