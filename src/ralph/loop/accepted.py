from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.answer import Answer, Ended
from ralph.domain.errors import GitFailed, RepoError
from ralph.domain.iteration import ACCEPTED
from ralph.domain.trouble import Trouble, TroubleKind

if TYPE_CHECKING:
    from ralph.agents.line import Line
    from ralph.domain.job import Job
    from ralph.loop.ports import Workspace


def brought_back(workspace: Workspace, ref: str) -> bool:
    """Whether kept work could be merged into what is here; a ref that someone removed cannot."""
    try:
        return workspace.apply(ref)
    except GitFailed:
        raise
    except RepoError:
        return False


class AcceptedWork:
    """Stands in for the agent when a person accepted earlier work: it brings that work back."""

    name = ACCEPTED

    def __init__(self, workspace: Workspace, ref: str) -> None:
        self._workspace = workspace
        self._ref = ref

    def check(self) -> None:
        return

    async def run(self, job: Job, line: Line) -> Answer:  # noqa: ARG002 - nobody can reach it
        if self._ref != "HEAD" and not brought_back(self._workspace, self._ref):
            return Answer(
                text="",
                ended=Ended.EXITED,
                exit_code=1,
                seconds=0,
                trouble=Trouble(
                    TroubleKind.EXIT,
                    "The work that a person accepted conflicts with what was done since.",
                ),
            )
        return Answer(text=f"Task {job.task} complete", ended=Ended.EXITED, exit_code=0, seconds=0)
