"""The page as a file: whole, closed to the outside, and deaf to what agents write into it."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from tests.support.morning import ATTACK, contents, differences

from ralph.repo.patch import FilePatch
from ralph.ui.report import markdown, pull
from ralph.ui.report.page import POLICY, page

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"  # noqa: S105 - it looks like one
VOID = {"meta", "link", "rect"}
TAGS = {
    "q",
    *("html", "head", "meta", "link", "title", "style", "body", "header", "main", "footer", "nav"),
    *("section", "article", "h1", "h2", "h3", "h4", "p", "a", "ol", "ul", "li", "dl", "dt", "dd"),
    *("div", "span", "strong", "code", "pre", "blockquote", "details", "summary", "figure"),
    *("figcaption", "svg", "rect", "text", "table", "caption", "thead", "tbody", "tr", "th", "td"),
}


class Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def text(self) -> str:
        told = " ".join(" ".join(self.words).split())
        return re.sub(r" ([,;])", r"\1", told)


def read(words: str = "") -> tuple[str, Reader]:
    text = page(contents(words), differences(words), [f"budget{words}"])
    return text, Reader(text)


@pytest.fixture(scope="module")
def attacked() -> tuple[str, Reader]:
    return read(ATTACK)


def test_what_agents_write_is_text(attacked: tuple[str, Reader]) -> None:
    text, reader = attacked
    assert {tag for tag, _ in reader.tags} <= TAGS
    names = {name for _, attributes in reader.tags for name in attributes}
    assert not [name for name in names if name.startswith(("on", "src", "style"))]
    links = [one["href"] for tag, one in reader.tags if tag in ("a", "link")]
    assert [link for link in links if not (link or "").startswith(("#", "data:,"))] == []
    assert reader.open == []
    assert text.count("<style>") == text.count("</style>") == 1
    assert "<script>alert(1)</script>" in reader.text(), "it is there to be read"


def test_nothing_hides_or_steers_and_no_secret_is_shown(attacked: tuple[str, Reader]) -> None:
    text, _ = attacked
    assert {unicodedata.category(char) for char in text} & {"Cc", "Cf", "Cs"} <= {"Cc"}
    assert {char for char in text if unicodedata.category(char) == "Cc"} == {"\n"}
    assert SECRET not in text
    assert SECRET not in markdown.document(contents(ATTACK), [])
    assert SECRET not in pull.body(contents(ATTACK))


def test_markdown_of_an_attacker_is_text() -> None:
    for text in (markdown.document(contents(ATTACK), [ATTACK]), pull.body(contents(ATTACK))):
        bare = re.sub(r"(`+).*?\1", "", text)
        assert not re.search(r"(?<!\\)<", bare)
        assert "\x1b" not in text


def test_nothing_is_fetched_and_nothing_may_run() -> None:
    text, reader = read()
    [policy] = [a["content"] for _, a in reader.tags if a.get("http-equiv")]
    assert policy == POLICY
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert "http://" not in text
    assert "https://" not in text
    assert "url(" not in text
    assert "@import" not in text


def test_it_can_be_read_by_ear_and_by_key() -> None:
    _, reader = read()
    levels = [int(tag[1]) for tag, _ in reader.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(one.get("scope") for tag, one in reader.tags if tag == "th")
    charts = [one for tag, one in reader.tags if tag == "svg"]
    assert len(charts) == 3
    assert all(one["role"] == "img" and one["aria-label"] for one in charts)
    names = [str(one["id"]) for _, one in reader.tags if "id" in one]
    assert len(names) == len({*names})
    assert {one["href"] for tag, one in reader.tags if tag == "a"} <= {f"#{n}" for n in names}


def test_the_first_screen_answers_in_order() -> None:
    words = read()[1].text()
    places = [
        words.index(text)
        for text in (
            "Waiting for you. 2 of 4 tasks done: 1 proven, 1 unproven; 1 question waits for you",
            "Answer Q2 about C (Third): Which way?",
            "ralph answer Q2 1 Left",
            "Look at B (Second): no test covers it",
            "git switch main && git merge ralph/plan",
            "What it is for.",
            "The changes: 2 files, +5 -1",
            "Not confined: agents and checks had your rights",
            "answered, Q1 by ada",
            "Decided: Go on",
            "Cost: $0.75 for 3 agents, 45 tokens",
            "ralph salvage restore r/3-C",
            "ralph revert --iteration 0",
            "All checks pass, and at least one test",
        )
    ]
    assert places == sorted(places)


def test_what_the_page_explains_is_what_it_uses() -> None:
    text, reader = read()
    meant = {str(one["id"]) for tag, one in reader.tags if tag == "dt"}
    linked = {str(one["href"]) for _, one in reader.tags if one.get("class") == "term"}
    assert {f"#{name}" for name in meant} == linked
    assert "word-accepted" not in text
    assert meant >= {"word-proven", "word-unproven", "word-evidence", "word-salvage"}


def test_a_part_with_nothing_in_it_is_left_out() -> None:
    told = contents()
    told |= {"questions": [], "decisions": [], "follow_ups": [], "salvage": [], "not_verified": []}
    names = {one.get("id") for _, one in Reader(page(told, {}, [])).tags}
    assert not names & {"decisions", "follow-ups", "salvage", "unverified"}
    assert names >= {"now", "tasks", "cost", "undo", "words"}


def test_added_and_removed_lines_are_told_apart_without_colour() -> None:
    _, reader = read()
    pieces = [word for word in reader.words if word.startswith(("+new", "-old"))]
    assert [piece.strip() for piece in pieces] == ["-old", "+new"]


def test_what_hides_in_a_change_is_shown() -> None:
    text = "@@ -1 +1 @@\n+a = 'x\u202e'\r\n+b\u200b = 1\rc\n+" + "y" * 1_500 + " evil()\n"
    shown = Reader(page(contents(), {"c2": [FilePatch("a.py", 3, 0, text)]}, [])).text()
    assert "+a = 'x⟨U+202E⟩'" in shown
    assert "+b⟨U+200B⟩ = 1⟨U+000D⟩c" in shown
    assert "… (508 more characters)" in shown
    assert "evil()" not in shown
