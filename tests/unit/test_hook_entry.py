from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.errors import ConfigError, RalphError
from ralph.flows.hook_entry import added, has_entry, without

COMMAND = "ralph hook stop"
OTHER = {"matcher": "", "hooks": [{"type": "command", "command": "true"}]}

scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner)
)
hooks = st.fixed_dictionaries(
    {}, optional={"Stop": st.lists(st.just(OTHER), max_size=2), "PreToolUse": st.just([])}
)
settings = st.dictionaries(st.text(max_size=4).filter(lambda key: key != "hooks"), values).flatmap(
    lambda rest: st.just(rest) | hooks.map(lambda found: {**rest, "hooks": found})
)
styles = st.sampled_from([None, 0, 2, 4, "\t"])


@given(settings, styles)
def test_in_and_out_again(content: dict[str, Any], indent: int | str | None) -> None:
    before = json.dumps(content, indent=indent).encode()
    after = added(before, COMMAND, "x")
    found = json.loads(after)
    assert has_entry(found, "x")
    assert found["hooks"]["Stop"][:-1] == content.get("hooks", {}).get("Stop", [])
    assert {**found, "hooks": 0} == {**content, "hooks": 0}
    again = json.loads(without(after, "x"))
    assert _tidied(again) == _tidied(content)


def _tidied(content: dict[str, Any]) -> dict[str, Any]:
    """Without lists and objects that are empty: those go with our entry."""
    found = dict(content.get("hooks", {}))
    if not found.get("Stop"):
        found.pop("Stop", None)
    rest = {name: value for name, value in content.items() if name != "hooks"}
    return {**rest, "hooks": found} if found else rest


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '{ "a" : 1 , "b":[ ] }\n\n',
        '{\n\t"hooks" : {"PreToolUse":[ ],\r\n "Stop":[{"hooks":[]} ]}  }',
        '\ufeff{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}], "b": 1}}',
    ],
)
def test_every_other_byte_stays(text: str) -> None:
    data = text.encode()
    assert without(added(data, COMMAND, "x"), "x") == data


def test_a_new_file() -> None:
    made = added(None, COMMAND, "x")
    assert json.loads(made)["hooks"]["Stop"][0]["hooks"][0]["command"] == COMMAND
    assert json.loads(without(made, "x")) == {}


def test_several_of_ours_go_at_once() -> None:
    twice = added(added(b'{"hooks": {"Stop": [{"hooks": []}]}}', COMMAND, "x"), COMMAND, "x")
    assert json.loads(without(twice, "x")) == {"hooks": {"Stop": [{"hooks": []}]}}


@pytest.mark.parametrize("text", ["[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "1"])
def test_what_is_no_settings_file_is_left_alone(text: str) -> None:
    with pytest.raises(ConfigError, match="does not look like settings"):
        added(text.encode(), COMMAND, "x")


def test_broken_json_is_left_alone() -> None:
    with pytest.raises(RalphError, match="line 1"):
        added(b'{"a": }', COMMAND, "settings.json")
