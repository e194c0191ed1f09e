"""One case of the corpus before the real loop: git, checks and processes are real."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.house import Acting, Place

from ralph.domain import event as e
from ralph.domain.settings import LoopSettings, VerificationSettings

if TYPE_CHECKING:
    from tests.corpus.load import Case

    from ralph.domain.job import Job


class Court(Place):
    """A repository with one task, whose agent makes the change of a case and claims it done."""

    def __init__(self, folder: Path, case: Case, *, held_out: bool = False, **more: Any) -> None:
        self.case = case
        self.verification = VerificationSettings(
            commands=case.verify,
            env=("PYTEST_DISABLE_PLUGIN_AUTOLOAD",),
            reruns=1,  # nothing here comes and goes
            held_out=self._lay_held_out(folder) if held_out else "",
            **more,
        )
        here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": here}
        if not case.plugins:  # pytest starts in half the time without our own plugins
            environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        self.root_folder = folder
        super().__init__(
            folder, [self._story()], loop=LoopSettings(max_iterations=1), environment=environment
        )

    def _lay_held_out(self, folder: Path) -> str:
        kept = folder / "kept" / "all"
        (kept / "files").mkdir(parents=True)
        self.case.lay_held_out(kept / "files")
        (kept / "command").write_text(" ".join(self.case.held_out.command))
        return str(folder / "kept")

    def _story(self) -> dict[str, Any]:
        return {
            "id": "T-1",
            "title": self.case.title,
            "description": "",
            "criteria": list(self.case.criteria),
            "kind": self.case.kind,
            "passes": False,
            "may_change_tests": list(self.case.may_change_tests),
        }

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True)
        self.case.lay_base(self.root)
        super().__post_init__()

    def hear(self) -> tuple[bool, list[e.Verified]]:
        """Whether the change was settled without a person, and the verdicts."""

        def act(job: Job) -> str:
            if not laid:
                self.case.lay_change(Path(job.workspace))
                laid.append(job)
            return f"Task {job.task} complete"

        laid: list[Job] = []
        self.run(Acting(act))
        return bool(self.events(e.Settled)), self.events(e.Verified)
