"""Fixes: made on a branch of their own, verified by the project's checks, landed or undone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import files
from ralph.domain.errors import CheckError
from ralph.domain.review import Standing
from ralph.domain.task import shown
from ralph.flows.review import asks, scope
from ralph.policy.review import blocked, ending, landed, undone
from ralph.process.waiting import in_thread
from ralph.reading.findings import cannot_fix
from ralph.repo import CleanCheckout, GitWorkspace, queries, refs, sweep_locks
from ralph.repo.commit import message

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.answer import Answer
    from ralph.domain.verdict import CheckResult
    from ralph.flows.review.desk import Desk
    from ralph.repo import Candidate

CANNOT_RUN = (126, 127)
"""What a shell says of a program it cannot start."""


class Fixer:
    """Works in the user's checkout, on the review's branch, and only while that is clean."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._bench = desk.bench
        self._open: GitWorkspace | None = None
        self._checks = Checks(desk)

    async def recover(self) -> None:
        """Deal with the fix of a review that was killed: it landed, or it is salvaged."""
        review = self._desk.review
        if not review.fixing.working:
            return
        if refs.symbolic(self._bench.repo.git_dir) != f"refs/heads/{review.fixing.branch}":
            # somebody has gone elsewhere since: what is there now is theirs
            self._desk.keep(replace(review, fixing=replace(review.fixing, working=False)))
            return
        ws = self._workspace(left_behind=True)
        sweep_locks(self._bench.repo, ws.state_dir, branch=ws.branch)
        landing = review.fixing.landing
        if landing and ws.landed(landing):
            ws.finish_landing(landing)
            self._desk.keep(landed(review, landing, ws.tree(landing)))
            return
        ws.put_back_head(review.commit, f"{review.id}/interrupted-head")
        self._take_away(ws, "the review was interrupted")
        fixing = self._desk.review.fixing
        uncounted = replace(fixing, iteration=max(0, fixing.iteration - 1))
        self._desk.keep(replace(self._desk.review, fixing=uncounted))
        self._open = None  # to be opened as a clean one

    async def fix(self) -> None:
        """One try to fix all that is pending."""
        desk, bench = self._desk, self._bench
        before = await self._checks.red(desk.review.commit, "base")
        ws = self._workspace()
        review = desk.review
        number = review.fixing.iteration
        metrics = replace(review.metrics, fix_iterations=review.metrics.fix_iterations + 1)
        fixing = replace(review.fixing, iteration=number + 1, working=True)
        desk.keep(replace(review, fixing=fixing, metrics=metrics))
        pending = desk.review.standing(Standing.PENDING)
        bench.tell(f"Fix {number + 1}: {', '.join(one.id for one in pending)}")
        prompt = asks.fix(desk.review, pending, [shown(one) for one in bench.commands])
        answer = await self._work(ws, prompt, number)
        if answer.trouble is not None:
            self._undo(ws, f"the agent failed: {answer.error}")
            return
        desk.keep(blocked(desk.review, cannot_fix(answer.text, asks.FIX_SHAPE)))
        made = ws.candidate(desk.review.commit, self._message())
        if made.empty or not desk.review.standing(Standing.PENDING):
            self._nothing(ws, made)
            return
        after = await self._checks.red(made.commit, f"fix-{number + 1}", made=made)
        if after is not None and (before is None or after.signature != before.signature):
            self._undo(ws, f"the fix turned a check red: {_reason(after)}\n{after.tail}")
        else:
            self._land(ws, made)

    def leave(self) -> None:
        """Where nothing has landed, the user is back on the branch that the review began on."""
        review, repo = self._desk.review, self._bench.repo
        ref = f"refs/heads/{review.fixing.branch}"
        there = refs.symbolic(repo.git_dir) == ref and review.fixing.home.startswith("refs/")
        if review.commits or not there:
            return
        # both name the same commit: no file changes
        repo.git.run("symbolic-ref", "-m", "ralph: nothing to keep", "HEAD", review.fixing.home)
        repo.git.run("update-ref", "-d", ref, review.commit)

    async def _work(self, ws: GitWorkspace, prompt: str, number: int) -> Answer:
        """The agent at work; git's settings, branches and protected files are put back after it."""
        review = self._desk.review
        config, branches = ws.config_snapshot(), ws.other_branches()
        names = self._bench.settings.repo.protected
        protected = {name: files.read(ws.root / name) for name in names}
        answer = await self._desk.work("fixer", prompt, ws.root, number)
        name = f"{review.id}/{review.round}-{number + 1}"
        sweep_locks(self._bench.repo, ws.state_dir, branch=ws.branch)
        changed = [*ws.restore_config(config)]
        changed += [branch for branch, _ in ws.put_back_branches(branches, name)]
        kept = ws.put_back_head(review.commit, name)
        changed += [f"{ws.branch} (its commits: {kept.ref})"] if kept else []
        changed += ws.bring_back_untracked()
        changed += [n for n, data in protected.items() if _put_back(ws.root / n, data)]
        for one in changed:
            self._desk.note(f"the fixing agent changed {one}; that was put back")
        return answer

    def _message(self) -> str:
        """Of the commit, should the fix land."""
        review = self._desk.review
        pending = review.standing(Standing.PENDING)
        titles = "\n".join(f"{one.id}: {one.remark.title}" for one in pending)
        title = pending[0].remark.title if len(pending) == 1 else f"{len(pending)} findings"
        trailers = {"Ralph-Review": review.id, "Ralph-Round": str(review.round)}
        return message("fix", f"review: {title}", titles, trailers)

    def _nothing(self, ws: GitWorkspace, made: Candidate) -> None:
        """Nothing was changed, or all is for a person and no change can be a fix."""
        desk = self._desk
        if desk.review.standing(Standing.PENDING):
            self._undo(ws, "the agent changed nothing")
            return
        if not made.empty:
            why = "the fixing agent left all findings to a person, and changed files all the same"
            desk.note(f"{why}; that is kept in salvage")
            self._take_away(ws, why)
        fixing = replace(desk.review.fixing, working=False)
        desk.keep(replace(desk.review, fixing=fixing, ending=ending(desk.review)))

    def _land(self, ws: GitWorkspace, made: Candidate) -> None:
        desk = self._desk
        # the word before the deed: a kill in between is put right by `recover`
        desk.keep(replace(desk.review, fixing=replace(desk.review.fixing, landing=made.commit)))
        ws.land(made)
        desk.keep(landed(desk.review, made.commit, made.tree))
        desk.bench.tell(f"  landed {made.commit[:12]} on {ws.branch}")

    def _undo(self, ws: GitWorkspace, why: str) -> None:
        self._take_away(ws, why.partition("\n")[0])
        self._desk.keep(undone(self._desk.review, why))
        self._desk.bench.tell(f"  undone: {why.partition(chr(10))[0]}")

    def _take_away(self, ws: GitWorkspace, why: str) -> None:
        """Back to what was reviewed; the work is kept."""
        desk = self._desk
        review = desk.review
        name = f"{review.id}/{review.round}-{review.fixing.iteration}"
        kept = ws.salvage(name, why, review.commit, task="review")
        ws.restore(review.commit)
        salvage = (*review.salvage, kept.ref) if kept else review.salvage
        fixing = replace(review.fixing, working=False, landing="")
        desk.keep(replace(review, salvage=salvage, fixing=fixing))

    def _workspace(self, *, left_behind: bool = False) -> GitWorkspace:
        """The checkout on the review's branch, which begins at what was reviewed."""
        if self._open is not None:
            return self._open
        desk, bench = self._desk, self._bench
        branch = desk.review.fixing.branch
        if not branch:
            scope.refuse_moved(bench.repo, desk.review.commit)
            branch = f"{bench.settings.repo.branch_prefix}review-{desk.review.id}"
            home = refs.symbolic(bench.repo.git_dir) or ""
            fixing = replace(desk.review.fixing, branch=branch, home=home)
            desk.keep(replace(desk.review, fixing=fixing))
        if not left_behind:
            scope.refuse_changes(bench.repo, bench.folder)
        way = GitWorkspace.resume if left_behind else GitWorkspace.in_place
        folder = bench.folder / "workspace"
        ws = way(bench.repo, branch, state_dir=folder, run=desk.review.id)
        if not left_behind:
            scope.refuse_moved(bench.repo, desk.review.commit)
        self._open = ws
        return ws


class Checks:
    """The project's checks on a clean checkout; each commit is tried once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._checkout = CleanCheckout(desk.bench.repo, desk.bench.folder / "checks")
        self._known: dict[str, CheckResult | None] = {}
        self._prepared = False

    async def red(
        self, commit: str, name: str, *, made: Candidate | None = None
    ) -> CheckResult | None:
        """The check that fails; None if all is green. Before any fix, it must be able to run."""
        if not self._desk.bench.commands:
            self._desk.note("no check is configured or detected: only reviewers judge the fixes")
            return None
        if commit not in self._known:
            results = await self._try(commit, name, made)
            found = next((one for one in results if not one.passed), None)
            if found is not None and made is None:
                _must_be_able_to_run(found)
                self._desk.note(f"`{shown(found.command)}` was red before any fix")
            self._known[commit] = found
        return self._known[commit]

    async def _try(self, commit: str, name: str, made: Candidate | None) -> tuple[CheckResult, ...]:
        bench, review = self._desk.bench, self._desk.review
        ignored = queries.ignored(bench.repo)
        root = await in_thread(partial(self._checkout.at, commit, bench.checker.kept(ignored)))
        if not self._prepared:
            await bench.checker.prepare(root, ignored)
            self._prepared = True
        changed = [one.path for one in made.files] if made else []
        await bench.checker.refresh(root, changed)
        name = f"review-{review.id}-{review.round}-{name}"
        return await bench.checker.run(bench.commands, root, bench.logs(), name)


def _reason(red: CheckResult) -> str:
    return f"`{shown(red.command)}` {red.why or f'exited {red.exit_code}'}: {red.signature}"


def _must_be_able_to_run(red: CheckResult) -> None:
    if red.exit_code not in CANNOT_RUN and not red.why:
        return
    raise CheckError(
        f"The check `{shown(red.command)}` cannot run on a clean checkout: "
        f"{red.why or f'it exited {red.exit_code}'}.",
        fix="Correct `verification.commands`, or only review with `ralph review --no-fix`.",
    )


def _put_back(path: Path, data: bytes | None) -> bool:
    """Whether a protected file had been changed."""
    if files.read(path) == data:
        return False
    if data is None:
        path.unlink(missing_ok=True)
    else:
        files.write(path, data)
    return True
