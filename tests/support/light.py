"""The loop on doubles: a repository in memory and a prover that is told what holds. No process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.house import BRANCH, Place

from ralph import process
from ralph.proof.told import ToldProver
from ralph.repo.memory import MemoryRepository, MemoryWorkspace

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.settings import Settings
    from ralph.ledger.journal import Journal
    from ralph.loop.ports import Prover, Workspace


class Light(Place):
    """It knows two kinds of checks: `test ! -e FILE` and `grep -q WORD FILE`."""

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.write_plan(self.stories)
        (self.root / "README.md").write_text("# Place\n")
        self.repository = MemoryRepository(self.root)

    def held(self, name: str, commit: str = f"refs/heads/{BRANCH}") -> str | None:
        """A file as the branch, or another commit or ref, has it."""
        repository = self.repository
        data = repository.commits[repository.refs.get(commit, commit)].files.get(name)
        return None if data is None else data.decode().rstrip("\n")

    def git(self, *arguments: str, where: Path | None = None) -> str:
        raise AssertionError(f"there is no git here: {arguments} {where or ''}")

    def head(self) -> str:
        return self.repository.refs[f"refs/heads/{BRANCH}"]

    def passed(self) -> list[str]:
        plan = json.loads(self.held("PRD.json") or "{}")
        return [one["id"] for one in plan["userStories"] if one["passes"]]

    def subjects(self) -> list[str]:
        found: list[str] = []
        commit = self.head()
        while commit != self.repository.main:
            found.insert(0, self.repository.commits[commit].message.splitlines()[0])
            commit = self.repository.commits[commit].parent
        return found

    def placed(
        self, settings: Settings, journal: Journal, *, killed: bool = False
    ) -> tuple[Workspace, Prover]:
        del settings
        untracked = journal.state.run.untracked if killed else None
        state = self.folder / "state"
        workspace = MemoryWorkspace(
            self.repository,
            BRANCH,
            state,
            run=journal.run,
            allowed_dirt={"PRD.json"},
            untracked=untracked,
        )

        def holds(commit: str) -> bool:
            files, words = self.repository.commits[commit].files, self.check.split()
            if words[0] == "grep":
                return words[-2].encode() in files.get(words[-1], b"")
            return words[-1] not in files

        return workspace, ToldProver(holds, process.run, self.root, state / "held-out")
