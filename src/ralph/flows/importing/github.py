"""Issues of GitHub, pulled once and kept as a file."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.flows.importing.brought import Tally
from ralph.flows.importing.plans import story_of
from ralph.plans.gh_issue import name_of, task_of
from ralph.plans.github import GitHubPlan

if TYPE_CHECKING:
    from ralph.flows.importing.brought import Brought


def bring_issues(source: str) -> Brought:
    plan = GitHubPlan(source, Path(tempfile.gettempdir()))
    fetched = asyncio.run(plan.fetch())
    tally = Tally()
    here = {name_of(issue.number) for issue in fetched.issues}
    done = {name_of(issue.number) for issue in fetched.others if issue.closed}
    stories = []
    for issue in sorted(fetched.issues, key=lambda one: one.number):
        story = story_of(task_of(issue, plan.query.repository, issue.status)) | {"url": issue.url}
        for name in story["depends_on"]:
            if name not in here | done:
                tally.lose(f"the dependency on {name}, which is not among the issues", story["id"])
        story["depends_on"] = [name for name in story["depends_on"] if name in here]
        stories.append(story)
    tally.carry("url")
    return tally.brought(stories, {"project": plan.query.title})
