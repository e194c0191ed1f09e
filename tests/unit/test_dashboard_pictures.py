"""The dashboard's pure parts: elements, the graph, charts, metrics, the token."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.ui.web import charts, graph, metrics
from ralph.ui.web.access import Access, Bucket
from ralph.ui.web.desk import BY_LOOKS
from ralph.ui.web.parts import address, link, table
from ralph.ui.web.tree import el, text_of, to_html, to_wire

# the name of a token as it would be printed, put together so that no scanner minds this file
KEY = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def read_xml(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - ours


class Reader(HTMLParser):
    """What a browser makes of it: elements, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


@given(words=st.text(), name=st.text())
def test_text_is_only_ever_text(words: str, name: str) -> None:
    tree = el("p", link(words, address("0" * 16, "task", id=name), title=name), words)
    read = Reader(to_html(tree, lambda text: text.replace("\r", "").replace("\0", "")))
    assert read.tags == ["p", "a"]
    assert read.text == (words * 2).replace("\r", "").replace("\0", "")


@pytest.mark.parametrize(
    "words", ["</script><script>x()</script>", "\" onload='x()' a=\"", "<!-- ", "&lt;b>", "]]>"]
)
def test_words_that_would_be_something_else(words: str) -> None:
    read = Reader(to_html(el("p", words, title=words), BY_LOOKS))
    assert (read.tags, read.text) == (["p"], words)
    assert to_wire(el("p", words, title=words), BY_LOOKS) == ["p", {"title": words}, words]


def test_what_a_browser_gets_is_masked_and_cannot_turn_text_around() -> None:
    said = f"export GITHUB_TOKEN={KEY} \x1b[31mred\x1b]0;title\x07 \u202egnp.exe\u200b"
    for shown in (to_html(el("p", said, title=said), BY_LOOKS),
                  repr(to_wire(el("p", said, title=said), BY_LOOKS))):  # fmt: skip
        assert KEY not in shown
        assert not {"\x1b", "\u202e", "\u200b"} & set(shown)
        assert "31m" not in shown
        assert "red" in shown


def test_each_cell_names_its_column_for_narrow_screens() -> None:
    shown = to_html(table(("A", "B"), [("1", "2")], "Numbers"), str)
    assert '<td data-name="A">1</td><td data-name="B">2</td>' in shown


# The graph


def test_a_task_stands_right_of_all_it_waits_for() -> None:
    waits: dict[str, list[str]] = {
        "d": ["b", "c"],
        "a": [],
        "b": ["a"],
        "c": ["a", "b"],
        "alone": ["unknown"],
    }
    assert graph.layers(waits) == [["a", "alone"], ["b"], ["c"], ["d"]]
    drawing = graph.draw(waits)
    place = {box.id: box.x for box in drawing.boxes}
    assert all(place[one] < place[name] for name, before in waits.items() for one in before
               if one in place)  # fmt: skip
    assert len(drawing.lines) == 5


@given(
    st.dictionaries(
        st.integers(0, 30).map(str), st.lists(st.integers(0, 30).map(str), max_size=5), max_size=30
    )
)
def test_whatever_the_graph_every_task_is_drawn_once_and_apart(waits: dict[str, list[str]]) -> None:
    drawing = graph.draw(waits)
    assert sorted(box.id for box in drawing.boxes) == sorted(waits)
    assert len({(box.x, box.y) for box in drawing.boxes}) == len(waits)
    assert all(0 <= box.x <= drawing.width - graph.WIDE for box in drawing.boxes)
    assert all(0 <= box.y <= drawing.height - graph.HIGH for box in drawing.boxes)


def test_one_long_chain_is_drawn_without_going_deep() -> None:
    names = [str(number) for number in range(5000)]
    waits: dict[str, list[str]] = {names[0]: []} | {
        name: [before] for before, name in pairwise(names)
    }
    assert len(graph.layers(dict(reversed(waits.items())))) == 5000


# Charts


def test_a_curve_has_its_figures_as_a_table_too() -> None:
    points = [(0.0, 3.0), (10.0, 2.0), (40.0, 0.0)]
    drawn = charts.curve("left", "Left", points, "{:g}".format, "at {:g}".format, "3, then 0.")
    figure = read_xml(to_html(drawn, str))
    svg = figure.find("svg")
    assert svg is not None
    assert svg.get("aria-labelledby") == "left-t left-d"
    assert [svg.findtext("title"), svg.findtext("desc")] == ["Left", "3, then 0."]
    path = [one.get("d") for one in svg.findall("path")][1]
    assert path == "M64.0 16.0 H204.0 V80.0 H624.0 V208.0"
    cells = [row.itertext() for row in figure.findall(".//tbody/tr")]
    assert [list(one) for one in cells] == [["at 0", "3"], ["at 10", "2"], ["at 40", "0"]]


def test_long_curves_keep_their_end_and_a_short_table() -> None:
    points = [(float(n), float(n)) for n in range(1000)]
    drawn = charts.curve("x", "X", points, "{:g}".format, "{:g}".format, "")
    rows = read_xml(to_html(drawn, str)).findall(".//tbody/tr")
    assert len(rows) <= charts.LISTED + 1
    assert "".join(rows[-1].itertext()) == "999999"


def test_bars_are_as_long_as_their_values() -> None:
    drawn = charts.bars("b", "B", [("a", 4.0), ("b", 1.0), ("c", 0.0)], "{:g}".format, "")
    wide = [float(one.get("width", "")) for one in read_xml(to_html(drawn, str)).iter("rect")]
    assert wide == [pytest.approx(4 * wide[1]), wide[1], 1]
    assert "4" in text_of(drawn)


# Metrics


def test_metrics_are_as_prometheus_reads_them() -> None:
    samples: list[metrics.Sample] = [
        ("ralph_tasks", {"name": 'a "b"\\\n', "state": "done"}, 3.0),
        ("ralph_running", {"name": "x"}, 1.0),
        ("ralph_tasks", {"name": "x", "state": "done"}, 0.25),
        ("ralph_dashboard_pages", {}, 2.0),
    ]
    assert metrics.text(samples).splitlines() == [
        "# HELP ralph_running Whether a run is at work.",
        "# TYPE ralph_running gauge",
        'ralph_running{name="x"} 1',
        "# HELP ralph_tasks Tasks of the plan by their state.",
        "# TYPE ralph_tasks gauge",
        'ralph_tasks{name="a \\"b\\"\\\\\\n",state="done"} 3',
        'ralph_tasks{name="x",state="done"} 0.25',
        "# HELP ralph_dashboard_pages Pages that are open and live.",
        "# TYPE ralph_dashboard_pages gauge",
        "ralph_dashboard_pages 2",
    ]


# The token


def test_what_a_browser_has_does_not_lead_back_to_the_token() -> None:
    access = Access(8420)
    assert len({access.token, access.cookie, access.key, Access(8420).cookie}) == 4
    assert access.is_token(access.token)
    assert not access.is_token(access.cookie)
    assert not access.is_token("")
    assert access.is_key(access.key)
    assert not access.is_key(access.cookie)
    assert access.is_cookie(f"other=1; ralph-8420={access.cookie}")
    assert not access.is_cookie(f"ralph-8421={access.cookie}")
    assert not access.is_cookie(f"ralph-8420={access.key}")
    assert not access.is_cookie("ralph-8420=ü; \x00")
    assert access.is_bearer(f"bearer {access.token}")
    assert not access.is_bearer(f"Basic {access.token}")


def test_a_bucket_fills_again() -> None:
    now = [0.0]
    bucket = Bucket(2, 1, lambda: now[0])
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    now[0] = 1.0
    assert [bucket.take() for _ in range(2)] == [True, False]
