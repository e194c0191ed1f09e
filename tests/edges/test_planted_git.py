"""Git configuration that runs programs: plain git falls for each trick, Ralph's git for none."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.edges.repo_help import commit, git, new_repo, put

from ralph.repo import Repo, doctor, index, programs, queries, status
from ralph.repo.git import OUTER
from ralph.repo.programs import Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.repo.git import GitResult

SIGNED = """\
tree {tree}
parent {parent}
author A <a@example.org> 1700000000 +0000
committer A <a@example.org> 1700000000 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 iQ==
 -----END PGP SIGNATURE-----

signed
"""


class Planted:
    """A repository with a trick in it. Its program touches the mark."""

    def __init__(self, folder: Path) -> None:
        self.root = new_repo(folder)
        self.mark = folder / "mark"
        self.evil = put(folder, "evil.sh", f"#!/bin/sh\ntouch {self.mark}\ncat\nexit 0\n")
        self.evil.chmod(0o755)
        put(self.root, "notes.txt", "old\n")
        commit(self.root)

    @property
    def repo(self) -> Repo:
        return Repo.open(self.root, to_write=False)

    def configure(self, **settings: str) -> None:
        for key, value in settings.items():
            git(self.root, "config", key.replace("__", "."), value)

    def attributes(self, text: str) -> None:
        """Beside the files, as a stranger's tree brings them."""
        put(self.root, ".gitattributes", text + "\n")

    def edit(self) -> None:
        put(self.root, "notes.txt", "new\n")

    def git(self, *args: str) -> None:
        """As a person would; whether it succeeds is not the point."""
        subprocess.run(("git", *args), cwd=self.root, check=False, capture_output=True, input=b"")

    def ask(self, *args: str) -> GitResult:
        return self.repo.git.ask(*args)


Trick = tuple["Callable[[Planted], object]", "Callable[[Planted], object]"]
"""What plain git does, and what Ralph does in its place."""


def fsmonitor(at: Planted) -> Trick:
    at.configure(core__fsmonitor=str(at.evil))
    return lambda at: at.git("status"), lambda at: at.ask("status")


def a_hook(at: Planted) -> Trick:
    put(at.root, ".git/hooks/post-checkout", at.evil.read_bytes()).chmod(0o755)
    return (
        lambda at: at.git("switch", "-q", "-c", "one"),
        lambda at: at.ask("switch", "-q", "-c", "two"),
    )


def a_folder_of_hooks(at: Planted) -> Trick:
    put(at.root, "tools/post-checkout", at.evil.read_bytes()).chmod(0o755)
    at.configure(core__hooksPath="tools")
    return a_hook(at)


def clean_filter(at: Planted) -> Trick:
    at.attributes("*.txt filter=x")
    git(at.root, "config", "filter.x.clean", str(at.evil))
    at.edit()
    return lambda at: at.git("add", "notes.txt"), lambda at: at.ask("add", "--all")


def smudge_filter(at: Planted) -> Trick:
    at.attributes("*.txt filter=x")
    git(at.root, "config", "filter.x.smudge", str(at.evil))
    command = ("checkout-index", "--force", "notes.txt")
    (at.root / "notes.txt").unlink()

    def by_ralph(at: Planted) -> None:
        at.ask(*command)
        (at.root / "notes.txt").unlink()

    return lambda at: at.git(*command), by_ralph


def process_filter(at: Planted) -> Trick:
    at.attributes("*.txt filter=x")
    git(at.root, "config", "filter.x.process", str(at.evil))
    at.edit()
    return lambda at: at.git("add", "notes.txt"), lambda at: at.ask("add", "--all")


def filter_with_an_odd_name(at: Planted) -> Trick:
    at.attributes("*.txt filter=a=b.c")
    git(at.root, "config", "filter.a=b.c.clean", str(at.evil))
    at.edit()
    return lambda at: at.git("add", "notes.txt"), lambda at: at.ask("add", "--all")


def included_filter(at: Planted) -> Trick:
    clean_filter(at)
    git(at.root, "config", "--unset", "filter.x.clean")
    put(at.root, "tools/config", f'[filter "x"]\n\tclean = {at.evil}\n')
    git(at.root, "config", "include.path", "../tools/config")
    return lambda at: at.git("add", "notes.txt"), lambda at: at.ask("add", "--all")


def filter_of_one_work_tree(at: Planted) -> Trick:
    at.attributes("*.txt filter=x")
    at.configure(extensions__worktreeConfig="true")
    git(at.root, "config", "--worktree", "filter.x.clean", str(at.evil))
    at.edit()
    return lambda at: at.git("add", "notes.txt"), lambda at: at.ask("add", "--all")


def filter_on_a_look(at: Planted) -> Trick:
    clean_filter(at)
    return lambda at: at.git("status"), lambda at: at.ask("status")


def textconv(at: Planted) -> Trick:
    at.attributes("*.txt diff=x")
    git(at.root, "config", "diff.x.textconv", str(at.evil))
    at.edit()
    kept = commit(at.root)
    git(at.root, "update-ref", "refs/ralph/salvage/one", kept)
    git(at.root, "reset", "-q", "--hard", "HEAD~1")
    at.attributes("*.txt diff=x")
    return (
        lambda at: at.git("log", "-p", "refs/ralph/salvage/one"),
        lambda at: queries.show_salvage(at.repo, "refs/ralph/salvage/one"),
    )


def external_diff(at: Planted) -> Trick:
    at.configure(diff__external=str(at.evil))
    at.edit()
    return lambda at: at.git("diff"), lambda at: at.ask("diff", "--no-ext-diff")


def driver_for_diffs(at: Planted) -> Trick:
    at.attributes("*.txt diff=x")
    git(at.root, "config", "diff.x.command", str(at.evil))
    at.edit()
    return lambda at: at.git("diff"), lambda at: at.ask("diff", "--no-ext-diff")


def driver_for_merges(at: Planted) -> Trick:
    at.attributes("*.txt merge=x")
    git(at.root, "config", "merge.x.driver", str(at.evil))
    commit(at.root)
    git(at.root, "switch", "-q", "-c", "other")
    put(at.root, "notes.txt", "theirs\n")
    commit(at.root)
    git(at.root, "switch", "-q", "-")
    at.edit()
    commit(at.root)

    def by_ralph(at: Planted) -> None:
        git(at.root, "reset", "-q", "--hard", "HEAD")
        at.ask("merge", "--no-edit", "other")

    return lambda at: at.git("merge", "--no-edit", "other"), by_ralph


def signature(at: Planted) -> Trick:
    at.configure(log__showSignature="true", gpg__program=str(at.evil))
    text = SIGNED.format(
        tree=git(at.root, "rev-parse", "HEAD^{tree}"), parent=git(at.root, "rev-parse", "HEAD")
    )
    made = git(at.root, "hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode())
    git(at.root, "update-ref", "HEAD", made)
    return (
        lambda at: at.git("log", "-1", "--format=%ct"),
        lambda at: doctor.last_commit(at.repo),
    )


def _partial(at: Planted, url: str, **more: str) -> Trick:
    """A clone that fetches what it lacks, from where a stranger says."""
    at.configure(
        extensions__partialClone="origin",
        core__repositoryFormatVersion="1",
        remote__origin__url=url,
        remote__origin__promisor="true",
        **more,
    )
    # who speaks no protocol must not wait for the other side either
    put(at.evil.parent, at.evil.name, f"#!/bin/sh\ntouch {at.mark}\nexit 1\n")
    lacking = "1" * 40
    return (
        lambda at: at.git("cat-file", "blob", lacking),
        lambda at: at.repo.git.ask("cat-file", "blob", lacking),
    )


def any_command_as_a_protocol(at: Planted) -> Trick:
    return _partial(at, f"ext::{at.evil}", protocol__ext__allow="always")


def program_at_the_other_end(at: Planted) -> Trick:
    return _partial(at, str(at.root), remote__origin__uploadpack=str(at.evil))


def own_ssh(at: Planted) -> Trick:
    return _partial(at, "ssh://nowhere.invalid/x", core__sshCommand=str(at.evil))


TRICKS = (
    *(fsmonitor, a_hook, a_folder_of_hooks, clean_filter, smudge_filter, process_filter),
    *(filter_with_an_odd_name, included_filter, filter_of_one_work_tree, filter_on_a_look),
    *(textconv, external_diff, driver_for_diffs, driver_for_merges, signature),
    *(any_command_as_a_protocol, program_at_the_other_end, own_ssh),
)


@pytest.mark.parametrize("plant", TRICKS, ids=lambda plant: plant.__name__)
def test_nothing_planted_is_run(tmp_path: Path, plant: Callable[[Planted], Trick]) -> None:
    at = Planted(tmp_path)
    by_hand, by_ralph = plant(at)
    at.mark.unlink(missing_ok=True)
    by_ralph(at)
    assert not at.mark.exists()
    if (notes := at.root / "notes.txt").exists():
        os.utime(notes, (1, 1))  # or git need not look at it again
    by_hand(at)
    assert at.mark.exists(), "the trick does not work, so the test shows nothing"


def nested(at: Planted, folder: str) -> Path:
    """A repository in the tree, known to the outer one by its commit."""
    inner = at.root / folder
    inner.mkdir()
    git(inner, "init", "-q")
    put(inner, "notes.txt", "old\n")
    commit(inner)
    put(at.root, ".gitmodules", f'[submodule "x"]\n\tpath = {folder}\n\turl = ./x\n')
    commit(at.root)
    return inner


@pytest.mark.parametrize("how", ["fsmonitor", "filter"])
def test_nothing_planted_in_a_submodule_is_run(tmp_path: Path, how: str) -> None:
    at = Planted(tmp_path)
    inner = nested(at, "part")
    if how == "fsmonitor":
        git(inner, "config", "core.fsmonitor", str(at.evil))
    else:
        git(inner, "config", "filter.x.clean", str(at.evil))
        put(inner, ".gitattributes", "*.txt filter=x\n")
        put(inner, "notes.txt", "new\n")
    at.mark.unlink(missing_ok=True)
    own = at.repo.git
    for look in (status.look, index.stage, lambda git: git.run("diff", "--name-only", OUTER)):
        look(own)
        assert not at.mark.exists(), look
    assert status.look(own).tracked == ()
    at.git("status")
    assert at.mark.exists(), "the trick does not work, so the test shows nothing"


def test_a_submodule_moves_on_as_before(tmp_path: Path) -> None:
    at = Planted(tmp_path)
    inner = nested(at, "part")
    own = at.repo.git
    assert index.gitlinks(own) == ("part",)
    put(inner, "notes.txt", "more\n")
    moved = commit(inner)
    assert status.look(own).tracked == ("part",)
    index.stage(own)
    assert git(at.root, "rev-parse", ":part") == moved
    shutil.rmtree(inner)
    index.stage(own)
    assert index.gitlinks(own) == ()


def shout(folder: Path, name: str = "shout.sh") -> Path:
    path = put(folder, name, "#!/bin/sh\ntr a-z A-Z\n")
    path.chmod(0o755)
    return path


def staged(root: Path) -> str:
    put(root, "notes.txt", "hello\n")
    Repo.open(root).git.run("add", "notes.txt")
    return git(root, "cat-file", "blob", ":notes.txt")


def test_a_filter_of_the_user_s_own_still_works(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, ".gitattributes", "*.txt filter=big\n")
    git(root, "config", "--global", "filter.big.clean", str(shout(tmp_path)))
    assert staged(root) == "HELLO"


def test_a_repository_cannot_replace_a_filter_of_the_user_s(tmp_path: Path) -> None:
    at = Planted(tmp_path)
    put(at.root, ".gitattributes", "*.txt filter=big\n")
    git(at.root, "config", "--global", "filter.big.clean", str(shout(tmp_path)))
    git(at.root, "config", "filter.big.clean", str(at.evil))
    assert staged(at.root) == "HELLO"
    assert not at.mark.exists()


def test_an_accepted_filter_works_until_it_changes(tmp_path: Path) -> None:
    at = Planted(tmp_path)
    put(at.root, ".gitattributes", "*.txt filter=big\n")
    good = Program("filter.big.clean", str(shout(tmp_path)))
    git(at.root, "config", good.key, good.value)
    assert staged(at.root) == "hello"
    programs.accept(at.repo.common_dir, [good])
    assert staged(at.root) == "HELLO"
    git(at.root, "config", good.key, str(at.evil))
    assert staged(at.root) == "hello"
    assert not at.mark.exists()


def test_without_its_filter_a_file_that_needs_it_is_not_staged(tmp_path: Path) -> None:
    """A secret that should be encrypted must not be committed as it is."""
    at = Planted(tmp_path)
    put(at.root, ".gitattributes", "*.txt filter=secret\n")
    git(at.root, "config", "filter.secret.clean", str(shout(tmp_path)))
    git(at.root, "config", "filter.secret.required", "true")
    at.edit()
    assert at.ask("add", "notes.txt").code != 0


def test_an_ordinary_configuration_costs_no_process(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    repo = Repo.open(root)
    asked: list[int] = []

    def listed() -> bytes:
        asked.append(1)
        return repo.git.configuration()

    git(root, "remote", "add", "origin", "https://example.org/tools.git")
    git(root, "config", "branch.main.merge", "refs/heads/main")
    programs.overruling(repo.git_dir, listed)
    assert asked == [], (root / ".git/config").read_text()
    git(root, "config", "filter.x.clean", "evil")
    for _ in range(3):
        programs.overruling(repo.git_dir, listed)
    assert asked == [1], "once per change"


@pytest.mark.parametrize(
    ("key", "value", "counts"),
    [
        ("filter.lfs.clean", "git-lfs clean -- %f", False),
        ("filter.lfs.process", "git-lfs filter-process", False),
        ("filter.lfs.process", "git-lfs filter-process; evil", True),
        ("core.fsmonitor", "true", False),
        ("core.fsmonitor", "./evil", True),
        ("alias.st", "status", False),
        ("alias.st", "!evil", True),
        ("credential.helper", "store", False),
        ("credential.helper", "store; evil", True),
        ("credential.https://x.example.helper", "!evil", True),
        ("submodule.a.b.update", "!evil", True),
        ("submodule.a.b.update", "rebase", False),
        ("pager.log", "false", False),
        ("pager.log", "evil", True),
        ("include.path", "../x", True),
        ("user.name", "evil", False),
        ("protocol.ext.allow", "always", True),
    ],
)
def test_which_settings_count(key: str, value: str, counts: bool) -> None:
    entry = b"local\0" + f"{key}\n{value}".encode() + b"\0"

    assert (programs.parse(entry).own == (Program(key, value),)) is counts
    assert programs.parse(entry.replace(b"local", b"global")).own == ()


def test_hooks_are_those_that_git_would_run(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, ".git/hooks/pre-commit.sample", "#!/bin/sh\n").chmod(0o755)
    put(root, ".git/hooks/pre-push", "#!/bin/sh\n").chmod(0o644)
    mine = put(root, ".git/hooks/pre-commit", "#!/bin/sh\n")
    mine.chmod(0o755)
    assert [*programs.hooks(Path(os.path.realpath(root / ".git")))] == [mine.resolve()]
