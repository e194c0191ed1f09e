"""Anything where something is expected: no crash, no hang, and a clear error where there is one.

Streams of agents, ralph.yaml and PRD.json have theirs with the units: `test_stream_json.py`,
`test_config.py`, `test_yaml_text.py`, `test_prd_json.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.chance import FULL

from ralph.agents.stream_json import Decoder
from ralph.domain.errors import PlanError
from ralph.flows.hooks import HOOK
from ralph.plans.markdown import Checklist
from ralph.plans.task_tree import TaskTree

pytestmark = [pytest.mark.torture, pytest.mark.timeout(3600)]

many = settings(
    max_examples=2_000 if FULL else 100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
few = settings(max_examples=400 if FULL else 12, deadline=None)

WORDS = ("type", "message", "content", "text", "usage", "result", "session_id", "id", "subtype")
VALUES = ("assistant", "user", "result", "system", "tool_use", "", "0", "\udce9", "\x00", "é" * 99)
json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(VALUES) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6)
    ),
    max_leaves=12,
)


def dumped(value: object) -> bytes:
    return json.dumps(value).encode()


@many
@given(st.lists(json_value.map(dumped) | st.binary(max_size=40), max_size=6), st.integers(1, 64))
def test_a_stream_of_an_agent(lines: list[bytes], step: int) -> None:
    decoder = Decoder(sure=True)
    data = b"\n".join(lines) + b"\n"
    for start in range(0, len(data), step):
        decoder.feed(data[start : start + step])
    decoder.close()
    assert isinstance(decoder.text, str)


_marks = st.sampled_from(
    (
        "- [ ] ",
        "- [x] ",
        "* ",
        "# ",
        "  ",
        "\t",
        "```",
        "---",
        "(",
        ")",
        ":",
        "depends",
        "\r",
        "\x00",
    )
)


@many
@given(st.lists(st.lists(_marks | st.text(max_size=6), max_size=6).map("".join), max_size=12))
def test_a_checklist(lines: list[str]) -> None:
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    with contextlib.suppress(PlanError):
        Checklist("PLAN.md", "PLAN.md").parse({"PLAN.md": data})


@many
@given(
    st.dictionaries(st.sampled_from(("a.json", "b.json", "c.json")), json_value.map(dumped))
    | st.dictionaries(st.sampled_from(("a.json", "b.json")), st.binary(max_size=40))
)
def test_a_task_tree(found: dict[str, bytes]) -> None:
    with contextlib.suppress(PlanError):
        TaskTree(".ralph/tasks", "tasks").parse(
            {f".ralph/tasks/{name}": d for name, d in found.items()}
        )


def hook(deed: str, given: bytes, folder: Path) -> Any:
    done = subprocess.run(
        (sys.executable, "-I", "-S", str(HOOK), deed),
        input=given,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(folder)},
        check=False,
        timeout=20,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert not done.stderr
    return json.loads(done.stdout) if done.stdout.startswith(b"{") else None


@few
@given(json_value.map(dumped) | st.binary(max_size=60), st.binary(max_size=200) | st.none())
def test_a_hook(given: bytes, state: bytes | None) -> None:
    """A person is never held by something that nobody can read."""
    with tempfile.TemporaryDirectory(prefix="ralph-hook-") as folder:
        if state is not None:
            (Path(folder) / ".claude").mkdir()
            (Path(folder) / ".claude/ralph-loop.local.md").write_bytes(state)
        said = hook("stop", given, Path(folder))
        assert said is None or said.get("decision") != "block"
