from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.repo import (
    candidate,
    diff,
    guard,
    head,
    index,
    land,
    lent,
    opening,
    others,
    queries,
    refs,
    restore,
    start,
    status,
    sweep,
    variant,
)
from ralph.repo.candidate import Foreseen
from ralph.repo.git import Git, split_names
from ralph.repo.quick import Quick
from ralph.repo.repository import Repo
from ralph.repo.start import WorkspaceStart
from ralph.repo.status import Differences

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ralph.repo.candidate import Candidate
    from ralph.repo.commit import OwnCommit
    from ralph.repo.diff import FileChange
    from ralph.repo.guard import ConfigSnapshot
    from ralph.repo.lent import Lent
    from ralph.repo.refs import Salvage
    from ralph.repo.status import TreeStatus


class GitWorkspace(Struct):
    """The directory an agent works in, and the branch its work lands on.

    For one thread at a time: it has one index of its own.
    """

    repo: Repo
    root: Path
    branch: str
    state_dir: Path
    run: str
    start: WorkspaceStart
    users: Git
    """Git over the index that the user and the agent see."""
    own: Git
    """Git over Ralph's own index."""
    quick: Quick
    allowed_dirt: frozenset[str] = frozenset()
    plan_ignored: dict[str, bool] = field(default_factory=dict)
    staged: str = ""
    """The tree our index holds, if it is known."""
    foreseen: Foreseen | None = None
    """What is being staged while the agent works."""
    looking: Future[Differences] | None = None
    """A look at the files that began when the last candidate had landed."""
    came_from: str = ""
    """The ref that the user was on, if another one."""
    lacks: int = 0
    """Commits that the user had checked out and the branch does not have."""

    @classmethod
    def in_place(
        cls,
        repo: Repo,
        branch: str,
        *,
        state_dir: Path,
        run: str,
        allowed_dirt: Collection[str] = (),
    ) -> GitWorkspace:
        """The user's own checkout, if it is clean, switched to the branch."""
        return opening.in_place(cls, repo, branch, state_dir, run, frozenset(allowed_dirt))

    @classmethod
    def worktree(
        cls,
        repo: Repo,
        branch: str,
        path: Path,
        *,
        state_dir: Path,
        run: str,
        allowed_dirt: Collection[str] = (),
    ) -> GitWorkspace:
        """A checkout of its own at `path`: made, reused, or made again when it is broken.

        Changes found in one that is reused stay; `foreign_changes` names them.
        """
        return opening.worktree(cls, repo, branch, path, state_dir, run, frozenset(allowed_dirt))

    @classmethod
    def resume(
        cls,
        repo: Repo,
        branch: str,
        *,
        state_dir: Path,
        run: str,
        path: Path | None = None,
        untracked: Iterable[str] = (),
        allowed_dirt: Collection[str] = (),
    ) -> GitWorkspace:
        """The workspace of a run that was killed, as it was left: for recovery, before a new start.

        `untracked` is what the ledger knows; it is joined with what the state folder knows.
        """
        return opening.resume(
            cls, repo, branch, state_dir, run, path, tuple(untracked), frozenset(allowed_dirt)
        )

    @property
    def git_dir(self) -> Path:
        return self.users.git_dir

    @property
    def common_dir(self) -> Path:
        """Where git keeps what all checkouts of this repository share."""
        return self.repo.common_dir

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.branch}"

    @property
    def untracked(self) -> tuple[str, ...]:
        return self.start.untracked

    def check(self) -> None:
        """Raise a RepoError if work cannot start here."""
        self.repo.check()

    def checkpoint(self, name: str, commit: str) -> Salvage:
        """Give a commit a ref of its own. One process, and safe in any thread."""
        return self.repo.checkpoint(name, commit)

    def is_at_home(self) -> bool:
        """Whether it is on its branch; elsewhere its files are the user's business. No process."""
        return refs.symbolic(self.git_dir) == self.ref

    def leave(self) -> None:
        """Back to where the user was."""
        if self.came_from and self.is_at_home():
            opening.leave(self.repo, self.ref, self.came_from)

    def sweep_locks(self) -> None:
        """Remove the locks of a git that was ended in the middle of its work."""
        sweep.sweep_locks(self.repo, self.state_dir, branch=self.branch)

    def ignored_among(self, names: Iterable[str]) -> frozenset[str]:
        """Those that git ignores. One process if there are any names."""
        return index.ignored_names(self.own, names)

    def lend(self, folder: Path) -> Lent:
        """A git folder for an agent between walls, below `folder`. No process."""
        return lent.lend(self, folder)

    def take_over(self, given: Lent, name: str) -> Iterator[tuple[str, str]]:
        """The agent's own commits, by branch, each with the ref under `name` that keeps it."""
        return lent.take_over(self, given, name)

    def head(self) -> str:
        """The commit of the branch. No process as long as its ref is a loose file."""
        return head.of_branch(self)

    def status(self) -> TreeStatus:
        """One process."""
        seen = status.look(self.own)
        mine = set(self.untracked)
        new = (n for n in seen.untracked if n not in mine)
        where = refs.symbolic(self.git_dir) or ""
        branch = where.removeprefix("refs/heads/") if where.startswith("refs/") else ""
        current = refs.read(self.users, self.repo.common_dir, "HEAD") or ""
        return status.TreeStatus(current, branch, (*seen.tracked, *new))

    def foreign_changes(self) -> tuple[str, ...]:
        """What differs from the head, apart from what may: for when no task's work is here.

        Right after a landing the look has begun already; `look_again` is for when time has passed.
        """
        looking, self.looking = self.looking, None
        changed = self._foreign(status.look(self.own) if looking is None else looking.result())
        if changed:  # or a person has committed it: their index knows, and ours does not yet
            index.copy(self.git_dir / "index", start.own_index(self.state_dir))
            self.staged = ""
            changed = self._foreign(status.look(self.own))
        return changed

    def _foreign(self, seen: Differences) -> tuple[str, ...]:
        changed = (*seen.tracked, *(n for n in seen.untracked if n not in self.untracked))
        return tuple(n for n in changed if not opening.allowed(n, self.allowed_dirt))

    def look_again(self) -> None:
        """The next `foreign_changes` must not rely on a look of a while ago."""
        self.looking = None

    def foresee(self, overrides: Mapping[str, bytes | None]) -> None:
        """Begin to stage what the next candidate will override, while the agent works."""
        self.foreseen = candidate.foresee(self, overrides)

    def wait_for_foreseen(self) -> None:
        """From here on no git of ours is at work, until another is started."""
        if self.foreseen is not None:
            self.foreseen.staging.result()

    def candidate(
        self,
        base: str,
        message: str,
        overrides: Mapping[str, bytes | None] | None = None,
        author: str = "",
    ) -> Candidate:
        """A commit on `base` of all that is here, with `overrides` in the place of those files.

        Nothing in the work tree changes. Two processes, three with overrides.
        """
        return candidate.make(self, base, message, overrides or {}, author)

    def land(
        self,
        made: Candidate,
        overrides: Mapping[str, bytes | None] | None = None,
        *,
        expected: str | None = None,
    ) -> tuple[str, ...]:
        """Move the branch from `expected` (the candidate's parent) to the candidate. One process.

        Returns the overrides that were left alone, because someone edited those files since.
        """
        values = made.overrides if overrides is None else overrides
        return land.land(self, made, values, expected or made.parent)

    def variant(
        self,
        onto: str,
        source: str = "",
        paths: Collection[str] = (),
        write: Mapping[str, bytes] | None = None,
    ) -> str:
        """A commit that never lands: `onto` with files of `source`, or with these bytes."""
        return variant.variant(self, onto, source, paths, write)

    def tree(self, commit: str) -> str:
        """What a commit holds. One process."""
        return self.own.text("rev-parse", "--verify", f"{commit}^{{tree}}")

    def text_diff(self, base: str, commit: str) -> str:
        """What was added and removed, without context, whatever attributes say. One process."""
        return diff.text(self.own, base, commit)

    def landed(self, commit: str) -> bool:
        """Whether the branch holds this commit. At most one process."""
        return head.holds(self, commit)

    def finish_landing(self, commit: str) -> None:
        """Do what `land` had left to do when it was killed. Safe to repeat."""
        land.finish(self, commit)

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
        """Keep all that is here under refs/ralph/salvage/; None if it equals `base`.

        The files in `leave_out` are kept as `base` has them.

        Changes no file and no index. Three processes, five if there is something to keep.
        """
        origin = refs.Origin(self.run, task, iteration)
        return restore.salvage(self, name, why, base or self.head(), origin, frozenset(leave_out))

    def restore(self, base: str, keep: Collection[str] = ()) -> None:
        """Bring the files back to `base`, those in `keep` apart; only after a salvage.

        What the user had not committed comes back as it was; ignored files are left alone.
        """
        restore.restore(self, base, frozenset(keep))

    def apply(self, ref: str) -> bool:
        """Merge kept work into what is here; False, and nothing changed, on a conflict."""
        return restore.apply(self, ref)

    def foreign_commits(self, base: str) -> str | None:
        """A commit that someone else put on the branch, or left HEAD detached at. No process."""
        return head.foreign(self, base)

    def put_back_head(self, base: str, name: str) -> Salvage | None:
        """Branch at `base`, HEAD on the branch, no file touched; foreign commits are kept first.

        No process if all is in place.
        """
        return head.put_back(self, base, name)

    def own_commits(self, base: str, name: str) -> tuple[OwnCommit, ...]:
        """What an agent committed on `base` itself, oldest first; kept under `name`. One process,
        two if there is anything.
        """
        return head.own_commits(self, base, name)

    def bring_back_untracked(self) -> tuple[str, ...]:
        """Restore the user's untracked files that are gone, and name them."""
        return start.bring_back(self.own, self.state_dir, self.start)

    def other_branches(self) -> dict[str, str]:
        """Where the user's other branches are. No process."""
        return others.take(self.repo.common_dir, self.ref)

    def put_back_branches(
        self, before: Mapping[str, str], name: str
    ) -> tuple[tuple[str, str], ...]:
        """Other branches that lost commits, each with the ref that keeps what it became."""
        return tuple(others.put_back(self, before, name))

    def config_snapshot(self) -> ConfigSnapshot:
        return guard.take(self.git_dir, self.repo.common_dir, self.root)

    def restore_config(self, snapshot: ConfigSnapshot) -> tuple[str, ...]:
        """The names of the files that were put back."""
        return guard.restore(snapshot, self.repo.common_dir)

    def changed_files(self, base: str) -> tuple[FileChange, ...]:
        """Two processes."""
        self.stage()
        return diff.staged(self.own, base)

    def diff_stat(self, base: str) -> str:
        """Two processes."""
        self.stage()
        out = self.own.run("diff", "--cached", "--no-ext-diff", "--stat=100", base)
        return out.decode("utf-8", "replace").rstrip("\n")

    def show(self, commit: str, path: str) -> bytes | None:
        return self.repo.show(commit, path)

    def listing(self, commit: str) -> tuple[str, ...]:
        """The files of a commit. One process."""
        return split_names(
            self.own.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
        )

    def search(self, commit: str, pattern: str, endings: Iterable[str]) -> list[tuple[str, str]]:
        """The lines of a commit that hold the pattern, each with its file. One process."""
        return queries.search(self.own, commit, pattern, endings)

    def stage(self, apart_from: Collection[str] = ()) -> tuple[str, ...]:
        """Bring our own index up to the work tree; returns nested repositories. One process."""
        self.staged, self.looking = "", None
        candidate.taken(self)
        self.root.mkdir(parents=True, exist_ok=True)
        return index.stage(self.own, apart_from)

    def show_index(self) -> None:
        """Let the user's index say what ours says, so that `git status` is right."""
        index.replace_users(start.own_index(self.state_dir), self.git_dir / "index")
