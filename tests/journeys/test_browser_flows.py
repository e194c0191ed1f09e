"""Flows and baselines as a user runs them."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

from tests.support.browser import BUYING, CHROMIUM, Site
from tests.support.project import FINISH, RALPH, Project

if TYPE_CHECKING:
    from pathlib import Path


def ralph(site: Site, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [RALPH, *arguments],
        cwd=site.root,
        env={**os.environ, "RALPH_CHROMIUM": CHROMIUM, "NO_COLOR": "1"},
        input=said,
        capture_output=True,
        text=True,
        check=False,
    )


def test_from_a_new_flow_to_one_that_passes(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    site.flow([*BUYING, {"screenshot": {"name": "bought", "mask": ["#clock"]}}])
    first = ralph(site, "flow", "flows/buy.json")
    assert first.returncode == 1, first.stdout + first.stderr
    head, finding, report = first.stdout.splitlines()
    assert head.startswith("✗ flows/buy.json  5 of 5 steps, 1 picture, ")
    assert finding == (
        "  → There is no baseline for the picture bought. "
        "If it is right, accept it with `ralph baseline accept`."
    )
    assert (site.root / report.strip()).is_file()

    listed = ralph(site, "baseline", "accept", "--list")
    assert "flows/buy.json  bought  new" in listed.stdout
    refused = ralph(site, "baseline", "accept", said="n\n")
    assert "Nothing was accepted." in refused.stdout
    assert not site.baselines.exists()

    accepted = ralph(site, "baseline", "accept", "flows/buy.json", "--yes")
    assert "Accepted 1 picture." in accepted.stdout
    assert (site.baselines / "bought.png").is_file()

    again = ralph(site, "flow", "--json", "flows/buy.json")
    assert again.returncode == 0, again.stdout + again.stderr
    [told] = json.loads(again.stdout)
    assert told["passed"]
    assert told["pictures"][0]["comparison"]["passed"]
    assert "every picture matches its baseline" in ralph(site, "baseline", "accept").stdout


def test_pictures_of_a_plain_check_are_there_to_be_accepted(tmp_path: Path) -> None:
    """Checks run in a checkout of their own: what a flow saw there is brought to the user."""
    project = Project(tmp_path, agent=FINISH, verify=f"{RALPH} flow flows/buy.json")
    site = Site(project.root)
    site.flow([*BUYING, {"screenshot": {"name": "bought", "mask": ["#clock"]}}])
    project.commit("a shop")
    first = project.run("--max-iterations", "1")
    assert first.code == 4, first.out + first.err
    assert "There is no baseline for the picture bought." in project.prompt(1) + first.out
    folder = project.root / ".ralph/flows/flows-buy"
    assert (folder / "report.html").is_file()
    assert (folder / "bought.now.png").is_file()
    assert "flows/buy.json  bought  new" in project.ralph("baseline", "accept", "--list").out
    assert "Accepted 1 picture." in project.ralph("baseline", "accept", "--yes").out
    assert (site.baselines / "bought.png").is_file()
    project.git("switch", "-q", "ralph/journey")
    project.commit("the picture is right")
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert "every picture matches its baseline" in project.ralph("baseline", "accept").out
