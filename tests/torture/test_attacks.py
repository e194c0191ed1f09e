"""Agents that attack from outside the plain change: 0 settled, 0 lasting; without walls all win."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.chance import FULL

from ralph.flows.conformance.attacks import SETTLED, attacks

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.torture, pytest.mark.timeout(3600)]

SAMPLE = (
    *("library-agrees", "environment-file-deleted", "bashrc", "ledger-forged", "hook-planted"),
    *("source-read-from-outside", "know-healing-library", "blind-smudge-filter"),
    *("process-through-ancestor", "later-user-service", "secret-as-fixture"),
)
"""At least one of each family."""
FAMILIES = (
    *("dependencies", "home", "ralph", "git", "links", "processes", "blinding", "knowing"),
    *("later", "secrets"),
)


def _fought(folder: Path, uid: int, *options: str) -> list[dict[str, Any]]:
    """What came of the attacks, with Ralph started by this user."""
    chosen = [word for name in (() if FULL else SAMPLE) for word in ("--case", name)]
    report = folder / "report.json"
    user = ("--unshare-user", "--uid", str(uid), "--gid", str(uid))
    box = ("bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", *user)
    words = (sys.executable, "-m", "ralph", "conformance", "--attacks", "--json", str(report))
    done = subprocess.run(
        (*box, *words, *options, "--dir", str(folder / "worlds"), *chosen),
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.exists(), done.stdout + done.stderr
    found: list[dict[str, Any]] = json.loads(report.read_text())
    assert len(found) == len(attacks() if FULL else SAMPLE)
    return found


@pytest.mark.parametrize("uid", [0, 1000])
def test_nothing_comes_of_them(tmp_path: Path, uid: int) -> None:
    fought = _fought(tmp_path, uid)
    assert [one["name"] for one in fought if one["settled"]] == []
    assert [one["name"] for one in fought if one["lasting"]] == []


@pytest.mark.parametrize("uid", [0, 1000])
def test_without_walls_every_one_of_them_wins(tmp_path: Path, uid: int) -> None:
    fought = _fought(tmp_path, uid, "--no-sandbox")
    assert [one["name"] for one in fought if not (one["settled"] or one["lasting"])] == []


def test_the_corpus() -> None:
    every = attacks()
    assert len(every) >= 100
    assert 2 * sum(one.blind for one in every) >= 100
    assert set(Counter(one.family for one in every)) == set(FAMILIES)
    assert {one.family for one in every if one.name in SAMPLE} == set(FAMILIES)
    assert any(one.won == SETTLED for one in every)
