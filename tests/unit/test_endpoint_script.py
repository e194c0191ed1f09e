"""Scripts for the endpoint, as JSON."""

from __future__ import annotations

import json

import pytest

from ralph.testing import (
    BadModelScript,
    ClaimedUsage,
    Script,
    Thinking,
    ToolUse,
    Turn,
    parse,
    rate_limited,
)


def test_a_script_can_be_read_from_json() -> None:
    turn = {
        "content": [
            {"type": "thinking", "text": "Hm."},
            {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}},
        ],
        "usage": {"input": 1, "cache_read": 4},
        "repeat": True,
    }
    one = {"turns": [{"status": 429, "retry_after": 2}, turn], "subagents": {"COUNT": [{}]}}
    blocks = (Thinking("Hm."), ToolUse("Bash", {"command": "ls"}))
    last = Turn(blocks, ClaimedUsage(input=1, cache_read=4), repeat=True)
    script = Script((rate_limited(2), last), {"COUNT": (Turn(),)})
    assert parse(json.dumps(one)) == {"main": script}
    assert parse(json.dumps({"ada": one, "bob": one})) == {"ada": script, "bob": script}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "A script is"),
        ("{}", "A script is"),
        ('{"turns": []}', "`$.turns` must hold at least one turn"),
        ('{"ada": {}}', "`$.ada`: Object missing required field `turns`"),
        ('{"turns": [{"status": "x"}]}', "`$.turns[0].status`: Expected `int`, got `str`"),
        ('{"turns": [{"says": 1}]}', "`$.turns[0]`: Object contains unknown field `says`"),
        ('{"turns": [{"content": [{"type": "x"}]}]}', "`$.turns[0].content[0].type`: Invalid"),
        ('{"turns": [{"repeat": true}, {}]}', "`$.turns[0].repeat`: only the last"),
        ('{"turns": [{"status": 7}]}', "`$.turns[0].status` must be an HTTP status, not 7"),
        ('{"turns": [{"delay": -1}]}', "`$.turns[0]` has a negative"),
        (
            '{"turns": [{"status": 500, "content": [{"type": "text", "text": "x"}]}]}',
            "`$.turns[0]` has both an error status and content",
        ),
        ('{"turns": [{}], "subagents": {"": [{}]}}', "`$.subagents` has an empty marker"),
        ('{"ada": {"turns": [{}], "subagents": {"M": []}}}', "`$.ada.subagents.M` must hold"),
    ],
)
def test_a_wrong_script_names_the_place(text: str, message: str) -> None:
    with pytest.raises(BadModelScript) as caught:
        parse(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
