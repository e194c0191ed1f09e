from __future__ import annotations

import contextlib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.errors import PlanError
from ralph.plans.yaml_text import compose


def _plain(text: str) -> object:
    return compose(text.encode(), "a.yaml")[1].plain()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: no", "no"),
        ("a: 2026-01-01", "2026-01-01"),
        ("a: 007", "007"),
        ("a: 1.10", "1.10"),
        ("a: -12", -12),
        ("a: '12'", "12"),
        ("a: true", True),
        ("a: 'true'", "true"),
        ("a: ~", None),
        ("a:", None),
        ("a: ''", ""),
    ],
)
def test_scalars_stay_what_they_look_like(text: str, value: object) -> None:
    found = _plain(text)
    assert found == {"a": value}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: &x 1\nb: *x", "anchors and aliases"),
        ("a: &x [1]", "anchors and aliases"),
        ("a: !!python/name:os.system x", "tags are not allowed"),
        ("a: !x 1", "tags are not allowed"),
        ("a: 1\na: 2", "the key a is used twice"),
        ("[a]: 1", "a key must be text"),
        ("--- 1\n--- 2", "more than one document"),
        ("[" * 33 + "]" * 33, "nested too deeply"),
        ("[" * 50000, "nested too deeply"),
        ("a: [1\nb: 2]", "line 2, column 2"),
        ("a: \x00", "a.yaml"),
    ],
)
def test_what_is_refused(text: str, why: str) -> None:
    with pytest.raises(PlanError) as caught:
        _plain(text)
    assert why in str(caught.value)
    assert str(caught.value).startswith("a.yaml")


def test_large_and_foreign_files_are_refused() -> None:
    with pytest.raises(PlanError, match="larger than 256 KB"):
        compose(b"#" * (256 * 1024 + 1), "a.yaml")
    with pytest.raises(PlanError, match="not UTF-8"):
        compose(b"a: \xff", "a.yaml")


def test_nesting_up_to_the_limit_is_fine() -> None:
    assert _plain("[" * 32 + "]" * 32) is not None


@given(st.text(max_size=40))
def test_no_text_crashes_it(text: str) -> None:
    with contextlib.suppress(PlanError):
        _plain(text.encode("utf-8", "replace").decode())


# PyYAML itself does not read back these line ends
_texts = st.text(st.characters(exclude_characters="\x85\u2028\u2029", codec="utf-8"), max_size=6)
_values = st.recursive(
    st.one_of(_texts, st.integers(-9999, 9999), st.booleans(), st.none()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=8,
)


@given(_values, st.booleans())
def test_what_yaml_writes_is_read_back(value: object, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    assert compose(text.encode(), "a.yaml")[1].plain() == value


@given(_values)
def test_both_parsers_of_yaml_agree_on_the_places(value: object) -> None:
    text = yaml.safe_dump({"id": "é", "x": value}, allow_unicode=True)
    marks = [
        [(type(e).__name__, e.start_mark.index, e.end_mark.index) for e in yaml.parse(text, loader)]
        for loader in (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    ]
    scalars = [[mark for mark in found if mark[0] == "ScalarEvent"] for found in marks]
    assert scalars[0] == scalars[1]
