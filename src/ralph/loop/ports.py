"""What the loop needs from the rooms that have more than one way of doing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from msgspec import Struct

from ralph.domain.trouble import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from ralph.checks.carry import Runner
    from ralph.domain.activity import Activity
    from ralph.domain.plan import Plan
    from ralph.domain.question import Question, Reply
    from ralph.domain.task import Command, Status
    from ralph.domain.trial import Trial
    from ralph.domain.verdict import Verdict
    from ralph.proof.subject import Subject
    from ralph.repo import Candidate, ConfigSnapshot, FileChange, Salvage
    from ralph.repo.commit import OwnCommit
    from ralph.repo.lent import Lent
    from ralph.repo.status import TreeStatus


PlanFiles: TypeAlias = Mapping[str, bytes]
"""The plan's files by their path relative to the root they were read from."""


class PlanFormat(Protocol):
    """One way to write a plan. Reading is fresh every time; editing keeps every other byte."""

    source: str
    """What to call the plan in messages: its path as the user gave it."""

    def files(self, root: Path) -> PlanFiles:
        """The plan's files below `root` as they are now; a PlanError if there are none."""

    def parse(self, files: PlanFiles) -> Plan:
        """The plan, its graph checked; a PlanError names file, task and field."""

    def mark(self, files: PlanFiles, statuses: Mapping[str, Status]) -> PlanFiles:
        """The files that change when these tasks get these statuses, with their new bytes."""


class Workspace(Protocol):
    """The directory an agent works in, and the branch its work lands on.

    Nothing is discarded: what is taken away is salvaged first.
    """

    @property
    def root(self) -> Path:
        """Where the agent works."""

    @property
    def branch(self) -> str:
        """Where verified commits land."""

    @property
    def came_from(self) -> str:
        """The ref that the user was on, if another one."""

    @property
    def lacks(self) -> int:
        """Commits that the user had checked out and the branch does not have."""

    @property
    def state_dir(self) -> Path:
        """What Ralph keeps for this repository, outside of it."""

    @property
    def common_dir(self) -> Path:
        """Where what is committed is stored."""

    @property
    def untracked(self) -> tuple[str, ...]:
        """Files that the user had not added when the run began: never committed or removed."""

    def check(self) -> None:
        """Raise a RepoError if work cannot start here."""

    def head(self) -> str:
        """The commit of the branch."""

    def is_at_home(self) -> bool:
        """Whether it is on its branch; elsewhere its files are the user's business."""

    def status(self) -> TreeStatus:
        """What differs from the head."""

    def foreign_changes(self) -> tuple[str, ...]:
        """What differs from the head, apart from what may: for when no task's work is here."""

    def look_again(self) -> None:
        """The next `foreign_changes` must not rely on a look of a while ago."""

    def foresee(self, overrides: PlanFiles) -> None:
        """Begin with what the next candidate will override, while the agent works."""

    def wait_for_foreseen(self) -> None:
        """Until nothing of that is under way."""

    def candidate(
        self,
        base: str,
        message: str,
        overrides: Mapping[str, bytes | None] | None = None,
        author: str = "",
    ) -> Candidate:
        """A commit on `base` of all that is here, with `overrides` in the place of those files.

        Nothing in the work tree changes.
        """

    def land(
        self,
        made: Candidate,
        overrides: Mapping[str, bytes | None] | None = None,
        *,
        expected: str | None = None,
    ) -> tuple[str, ...]:
        """Move the branch from `expected` (the candidate's parent) to the candidate.

        Returns the overrides that were left alone, because someone edited those files since.
        """

    def landed(self, commit: str) -> bool:
        """Whether the branch holds this commit."""

    def finish_landing(self, commit: str) -> None:
        """Do what `land` had left to do when it was killed. Safe to repeat."""

    def checkpoint(self, name: str, commit: str) -> Salvage:
        """Give a commit a ref of its own."""

    def salvage(
        self,
        name: str,
        why: str,
        base: str | None = None,
        *,
        task: str = "",
        iteration: int = 0,
        leave_out: Collection[str] = (),
    ) -> Salvage | None:
        """Keep all that is here under refs/ralph/; None if it equals `base`."""

    def restore(self, base: str, keep: Collection[str] = ()) -> None:
        """Bring the files back to `base`, those in `keep` apart; only after a salvage."""

    def apply(self, ref: str) -> bool:
        """Merge kept work into what is here; False, and nothing changed, on a conflict."""

    def show(self, commit: str, path: str) -> bytes | None:
        """A file as a commit holds it."""

    def changed_files(self, base: str) -> tuple[FileChange, ...]:
        """How what is here differs from a commit."""

    def diff_stat(self, base: str) -> str:
        """The same in a few lines, for a prompt."""

    def text_diff(self, base: str, commit: str) -> str:
        """What was added and removed between two commits, without context."""

    def listing(self, commit: str) -> tuple[str, ...]:
        """The files of a commit."""

    def search(self, commit: str, pattern: str, endings: Iterable[str]) -> list[tuple[str, str]]:
        """The lines of a commit that hold the pattern, each with its file."""

    def ignored_among(self, names: Iterable[str]) -> frozenset[str]:
        """Those that are ignored: in no commit, now or ever."""

    def config_snapshot(self) -> ConfigSnapshot:
        """The repository's settings as they are."""

    def restore_config(self, snapshot: ConfigSnapshot) -> tuple[str, ...]:
        """The names of the settings' files that were put back."""

    def other_branches(self) -> dict[str, str]:
        """Where the user's other branches are."""

    def put_back_branches(
        self, before: Mapping[str, str], name: str
    ) -> tuple[tuple[str, str], ...]:
        """Other branches that lost commits, each with the ref that keeps what it became."""

    def put_back_head(self, base: str, name: str) -> Salvage | None:
        """The branch back at `base`, no file touched; commits of others are kept first."""

    def own_commits(self, base: str, name: str) -> tuple[OwnCommit, ...]:
        """What an agent committed on `base` itself, oldest first, where it was kept by `name`."""

    def bring_back_untracked(self) -> tuple[str, ...]:
        """Restore the user's untracked files that are gone, and name them."""

    def leave(self) -> None:
        """Back to the branch that the user was on, for a run that could not begin to work."""

    def sweep_locks(self) -> None:
        """Remove what a command that was ended in the middle left in the way."""

    def lend(self, folder: Path) -> Lent:
        """A git folder for an agent between walls, below `folder`."""

    def take_over(self, given: Lent, name: str) -> Iterator[tuple[str, str]]:
        """The agent's own commits, by branch, each with the ref that keeps it."""


class Prover(Protocol):
    """Says what is true of a candidate, by experiment."""

    notes: tuple[str, ...]
    """What every verdict mentions."""
    hidden_logs: Path
    """Logs that agents do not see."""

    def within(self, wrap: Callable[[Runner], Runner]) -> Runner:
        """From now on every check is run by this, around what ran it before."""

    def ignored(self) -> tuple[str, ...]:
        """What git ignores in the user's checkout."""

    def mention(self, *notes: str) -> None:
        """From now on every verdict says this, too."""

    async def equip(self, root: Path) -> None:
        """Bring dependencies to an agent's own worktree."""

    async def prepare(self, commit: str) -> Path:
        """Make a clean checkout of this commit, with the user's dependencies beside it."""

    async def base(self, commit: str, commands: tuple[Command, ...], *, before: float = 0) -> Trial:
        """The checks on the commit that the work begins with."""

    async def passes(self, commit: str, command: Command, name: str) -> bool:
        """Whether one check passes on a commit."""

    def clean(self) -> None:
        """Take away what earlier checks left in the clean checkout."""

    async def prove(self, subject: Subject) -> Verdict:
        """Try a candidate, and say what that proves."""


class Order(Struct, frozen=True):
    """What is to be done about an agent at work."""

    text: str = ""
    """Tell it this, in its own context."""
    stop: bool = False
    """End it."""
    why: str = ""
    trouble: TroubleKind | None = None
    """With a stop: what kind of trouble the agent then had, if it is to count as trouble."""


class Watcher(Protocol):
    """Looks after an agent while it works, and writes down itself what it finds."""

    def heard(self, activity: Activity, now: float) -> None:
        """The agent did something. `now` only ever goes forward: it is no time of day."""

    def look(self, now: float) -> Order | None:
        """Called after each activity and about once a second."""


class People(Protocol):
    """How to reach a person."""

    async def ask(self, question: Question) -> Reply | None:
        """The answer, or None if nobody answered in time."""
