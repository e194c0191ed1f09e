"""Findings: read tolerantly, named without line numbers, merged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.review import Finding, Remark, Severity, Standing
from ralph.flows.review import asks
from ralph.reading.findings import (
    MOST,
    cannot_fix,
    enclosing,
    fingerprint,
    merged,
    notes,
    opinion,
    placed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CODE = """\
import os


class Shop:
    def price(self, item):
        if item is None:
            return 0
        return item.price

    async def sell(self, item):
        return item


LIMIT = 3


def main():
    print(LIMIT)
"""
PAGE = "# Shop\n\nWords.\n\n## Payment\n\nCards.\n"


def remark(title: str = "It fails", path: str = "shop.py", symbol: str = "price") -> Remark:
    return Remark(title, path, symbol=symbol)


# ---- reading


@pytest.mark.parametrize(
    "text",
    [
        '{"findings": [{"title": "It fails", "path": "a.py"}]}',
        'Words {with braces} and\n```json\n{"findings": [{"title": "It fails"}]}\n```\nEnough.',
        '{"findings": []}\nNo, wait:\n{"findings": [{"title": "It fails"}, 7, {"line": 3}]}',
        "{" * 300 + '\n{"findings": [{"title": "It fails"}]}',
    ],
)
def test_an_answer_is_read_wherever_it_stands(text: str) -> None:
    found = notes(text)
    assert found
    assert [one.title for one in found.remarks] == ["It fails"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All is well.",
        '{"findings": "none"}',
        '{"findings": [{"title": ""}]}',
        '{"findings": [{"title": "It fails"}',
        "[" * 100_000,
        '{"a":' * 5_000,
    ],
)
def test_what_cannot_be_read_is_not_taken_for_nothing_found(text: str) -> None:
    assert notes(text) is None
    assert opinion(text) is None


def test_the_fields_of_a_finding_are_bounded_and_cleaned() -> None:
    given = {
        "title": "x" * 900,
        "path": "./src/../src/a.py",
        "line": "12",
        "severity": " BLOCKER ",
        "detail": ["no text"],
        "failing_input": "y" * 9_000,
    }
    others = [{"title": f"Finding {n}", "path": "/etc/passwd"} for n in range(90)]
    text = json.dumps(
        {"findings": [given, *others], "still_open": ["F1", {"id": "F2", "why": "w"}]}
    )
    found = notes(text)
    assert found
    first = found.remarks[0]
    assert (len(first.title), first.path, first.line) == (200, "src/a.py", 0)
    assert (first.severity, first.detail, len(first.failing_input)) == ("critical", "", 2_000)
    assert len(found.remarks) == MOST
    assert found.remarks[1].path == ""
    assert found.remarks[1].severity is Severity.MAJOR
    assert found.still_open == {"F1": "", "F2": "w"}


def test_a_refuter_s_word() -> None:
    def sure(**fields: object) -> float | None:
        found = opinion(json.dumps(fields))
        return None if found is None else found.confidence

    assert sure(confidence=0.85) == 0.85
    assert sure(confidence=85) == 0.85
    assert sure(holds=False, confidence=0.9, failing_input="x") == 0
    assert sure(confidence="very") is None
    assert sure(confidence=True) is None
    assert cannot_fix('{"cannot_fix": [{"id": "F1", "why": "ask"}]}') == {"F1": "ask"}
    assert cannot_fix("Done.") == {}


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    notes(text)
    opinion(text)
    cannot_fix(text)


# ---- naming


@pytest.mark.parametrize(
    ("line", "symbol"),
    [(1, ""), (4, "Shop"), (5, "price"), (7, "price"), (9, "price"), (11, "sell"), (14, "")],
)
def test_the_enclosing_symbol_of_code(line: int, symbol: str) -> None:
    assert enclosing(CODE, line, "shop.py") == symbol


def test_the_enclosing_symbol_where_braces_close() -> None:
    text = "export async function pay(sum) {\n  if (sum) {\n    go()\n  }\n}\n"
    text += "const X = {\n  a: 1,\n}\n"
    found = [enclosing(text, n, "pay.ts") for n in (1, 3, 4, 5, 7, 99)]
    assert found == ["pay", "pay", "pay", "pay", "", ""]


def test_the_enclosing_heading_of_a_document() -> None:
    assert [enclosing(PAGE, n, "a.md") for n in (1, 3, 7)] == ["Shop", "Shop", "Payment"]


def test_a_fingerprint_survives_moved_lines_and_other_wording_of_the_same() -> None:
    def mark(text: str, line: int, title: str) -> str:
        return fingerprint(placed(Remark(title, "shop.py", line), text))

    first = mark(CODE, 7, "`price` returns 0 for line 7")
    assert mark("# new\n" * 40 + CODE, 47, "Price returns 0 for line 47.") == first
    assert mark(CODE, 11, "`price` returns 0 for line 7") != first
    assert mark(CODE, 7, "`price` raises for line 7") != first
    assert fingerprint(remark(path="b.py")) != fingerprint(remark())


def test_the_symbol_that_was_said_counts_where_the_line_does_not_help() -> None:
    assert placed(remark(symbol="Shop.price()"), CODE).symbol == "price"
    assert placed(remark(symbol="## Payment"), None).symbol == "Payment"


# ---- merging


def test_the_same_finding_of_two_roles_is_one_and_the_graver_word_counts() -> None:
    mild = Remark("The price is wrong", "a.py", 3, "price", Severity.MINOR)
    grave = Remark("Price is wrong!", "a.py", 9, "price", Severity.CRITICAL, failing_input="-1")
    alike = Remark("The prices are wrong", "a.py", 9, "price")
    other = Remark("The price is wrong", "a.py", 30, "sell")
    [one, two] = merged((), {"a": [mild, other], "b": [grave], "c": [alike]}, 1)
    assert (one.id, one.roles, one.remark.severity) == ("F1", ("a", "b", "c"), "critical")
    assert one.remark.failing_input == "-1"
    assert (two.id, two.remark.symbol) == ("F2", "sell")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Standing.REFUTED, Standing.REFUTED),
        (Standing.BLOCKED, Standing.BLOCKED),
        (Standing.PENDING, Standing.PENDING),
        (Standing.FIXED, Standing.PENDING),
        (Standing.IN_PROGRESS, Standing.PENDING),
    ],
)
def test_what_comes_up_again(before: Standing, after: Standing) -> None:
    known = Finding("F1", fingerprint(remark()), remark(), ("a",), 1, before)
    [one] = merged((known,), {"a": [remark()]}, 2)
    assert one.standing is after


@pytest.mark.parametrize(
    ("read", "shape", "answer"),
    [
        (notes, asks.REVIEW_SHAPE, '{"findings": []}'),
        (opinion, asks.REFUTE_SHAPE, '{"holds": true, "confidence": 0.9}'),
        (cannot_fix, asks.FIX_SHAPE, '{"cannot_fix": [{"id": "F2"}]}'),
    ],
)
def test_to_repeat_what_was_asked_for_is_no_answer(
    read: Callable[[str, str], object], shape: str, answer: str
) -> None:
    prompt = f"End with:\n\n```json\n{shape}```\n"
    assert not read(prompt, shape)
    assert read(answer + prompt, shape) == read(answer, "") is not None
