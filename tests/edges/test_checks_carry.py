from __future__ import annotations

import asyncio
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from ralph.checks.carry import find
from ralph.checks.commands import Checker
from ralph.checks.fingerprint import entries
from ralph.domain.answer import Ended
from ralph.domain.errors import CheckError, StorageError
from ralph.domain.settings import VerificationSettings
from ralph.process import Finished, run

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.checks.dependencies import Prepared
    from ralph.process import Child

BASE = {"PATH": os.environ["PATH"]}
IGNORED = ("node_modules/", ".env", "dist/")


class Counting:
    """The real runner, counting the copies."""

    def __init__(self) -> None:
        self.copies: list[str] = []

    async def __call__(self, child: Child) -> Finished:
        if child.argv[0] == "cp":
            self.copies.append(child.argv[-2])
        return await run(child)


class Project:
    def __init__(self, tmp_path: Path) -> None:
        self.user = tmp_path / "user"
        self.checkout = tmp_path / "state" / "checkout"
        self.checkout.mkdir(parents=True)
        self.write("node_modules/plain/index.js", "module.exports = 1")
        self.write("node_modules/plain/lib/deep.js", "deep")
        self.write("dist/out.js", "built")
        self.write(".env", f"DATA={self.user}/data\nOTHER={self.user}-old/data\n")
        self.runner = Counting()
        self.checker = self.another_run()

    def another_run(self, settings: VerificationSettings | None = None) -> Checker:
        self.checker = Checker(
            settings or VerificationSettings(), self.user, runner=self.runner, base=BASE
        )
        return self.checker

    def write(self, name: str, text: str) -> Path:
        path = self.user / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def prepare(self, *ignored: str, pristine: bool = True) -> Prepared:
        wanted = ignored or IGNORED
        return asyncio.run(self.checker.prepare(self.checkout, wanted, pristine=pristine))

    def refresh(self, *files: str) -> tuple[str, ...]:
        return asyncio.run(self.checker.refresh(self.checkout, files))

    @property
    def copied(self) -> Path:
        return self.checkout / "node_modules/plain/index.js"


async def no_cp(child: Child) -> Finished:
    return Finished(Ended.NOT_STARTED, 127, 0)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_what_is_carried(tmp_path: Path) -> None:
    for name in ("web/package.json", "a/b/c/pyproject.toml", "a/b/c/d/package.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    listed = [
        *("node_modules/", "web/node_modules/", "docs/node_modules/", "a/b/c/.venv/"),
        *("a/b/c/d/node_modules/", "dist/", "src/x.egg-info/", "tools/"),
    ]
    for name in (*listed, "tools/cache/", "vendor/"):
        (tmp_path / name).mkdir(parents=True)
    wanted = ("node_modules", ".venv", "vendor", "tools/cache", "../up", ".env")
    assert set(find(tmp_path, listed, wanted)) == {
        *("node_modules", "web/node_modules", "a/b/c/.venv", "src/x.egg-info", "tools/cache"),
    }


def test_ignored_dependencies_are_copied_and_the_rest_is_not(project: Project) -> None:
    prepared = project.prepare()
    assert project.copied.read_text() == "module.exports = 1"
    assert not project.copied.samefile(project.user / "node_modules/plain/index.js")
    assert not (project.checkout / "dist").exists()
    assert prepared.carried == (".env", "node_modules")
    assert prepared.trusted
    assert prepared.notes == ()


def test_nothing_but_the_copies_appears_in_the_checkout(project: Project) -> None:
    project.prepare()
    assert names(project.checkout) == [".env", "node_modules"]
    assert names(project.checkout / "node_modules") == ["plain"]


def test_only_paths_below_the_source_are_turned(project: Project) -> None:
    project.prepare()
    expected = f"DATA={project.checkout}/data\nOTHER={project.user}-old/data\n"
    assert (project.checkout / ".env").read_text() == expected


def test_an_unchanged_folder_is_copied_once_over_many_runs(project: Project) -> None:
    project.prepare()
    project.another_run()
    project.prepare()
    assert len(project.runner.copies) == 2


def test_a_changed_folder_is_copied_again_by_the_next_run(project: Project) -> None:
    project.prepare()
    project.write("node_modules/plain/index.js", "module.exports = 2")
    project.another_run()
    project.prepare()
    assert project.copied.read_text() == "module.exports = 2"


def test_within_a_run_the_first_state_counts(project: Project) -> None:
    project.prepare()
    project.write("node_modules/plain/index.js", "tampered")
    assert project.refresh() == ()
    assert project.copied.read_text() == "module.exports = 1"
    assert project.checker.trusted(project.checkout)


def test_checks_that_write_there_change_neither_the_user_nor_the_next_check(
    project: Project,
) -> None:
    project.prepare()
    before = entries(project.user)
    script = "echo bad > node_modules/plain/index.js; mkdir node_modules/.cache; rm .env"
    command = ("/bin/sh", "-c", f"{script}; echo x > node_modules/.cache/x")
    logs = project.checkout.parent / "logs"
    (result,) = asyncio.run(project.checker.run([command], project.checkout, logs, "x"))
    assert result.passed
    assert entries(project.user) == before
    assert project.refresh() == ()
    assert project.copied.read_text() == "module.exports = 1"
    assert not (project.checkout / "node_modules/.cache").exists()
    assert (project.checkout / ".env").exists()


def test_additions_are_taken_away_without_a_copy(project: Project) -> None:
    project.prepare()
    made = len(project.runner.copies)
    cache = project.checkout / "node_modules/.cache/deep"
    cache.mkdir(parents=True)
    (cache / "x").touch()
    cache.chmod(0o500)
    project.refresh()
    assert not (project.checkout / "node_modules/.cache").exists()
    assert len(project.runner.copies) == made


def test_tampering_with_restored_times_is_noticed(project: Project) -> None:
    project.prepare()
    seen = project.copied.stat()
    project.copied.write_text("module.exports = 6")
    os.utime(project.copied, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    project.refresh()
    assert project.copied.read_text() == "module.exports = 1"


def test_what_cannot_be_restored_is_said_and_not_trusted(project: Project) -> None:
    project.prepare()
    project.copied.write_text("bad")
    project.write("node_modules/plain/index.js", "also bad")
    (note,) = project.refresh()
    assert "`node_modules` was changed" in note
    assert not project.checker.trusted(project.checkout)


def test_an_agents_own_installation_stays(project: Project) -> None:
    project.prepare(pristine=False)
    project.copied.write_text("installed by the agent")
    project.write("node_modules/plain/index.js", "module.exports = 2")
    project.another_run()
    project.prepare(pristine=False)
    assert project.copied.read_text() == "installed by the agent"


def test_an_untouched_worktree_follows_the_users_folder(project: Project) -> None:
    project.prepare(pristine=False)
    project.write("node_modules/plain/index.js", "module.exports = 2")
    project.another_run()
    project.prepare(pristine=False)
    assert project.copied.read_text() == "module.exports = 2"


def test_a_lost_checkout_gets_its_copies_again(project: Project) -> None:
    project.prepare()
    subprocess.run(["rm", "-rf", project.checkout / "node_modules"], check=True)
    project.another_run()
    project.prepare()
    assert project.copied.exists()


def test_a_broken_marker_means_copying_again(project: Project) -> None:
    project.prepare()
    for marker in project.checkout.with_name("checkout.carried").glob("*.json"):
        marker.write_text("{half")
    project.another_run()
    project.prepare()
    assert len(project.runner.copies) == 4


def test_without_a_usable_cp_it_is_copied_all_the_same(project: Project) -> None:
    (project.user / "node_modules/link").symlink_to("plain")
    project.checker = Checker(VerificationSettings(), project.user, runner=no_cp, base=BASE)
    project.prepare()
    assert project.copied.read_text() == "module.exports = 1"
    assert os.fspath((project.checkout / "node_modules/link").readlink()) == "plain"


def test_a_copy_that_fails_says_what_to_do(project: Project) -> None:
    os.mkfifo(project.user / "node_modules/pipe")
    project.checker = Checker(VerificationSettings(), project.user, runner=no_cp, base=BASE)
    with pytest.raises(CheckError, match="Cannot copy `node_modules`") as raised:
        project.prepare()
    assert "verification.carry" in raised.value.fix
    assert len(str(raised.value).splitlines()) == 2
    assert not (project.checkout / "node_modules").exists()


def test_a_place_that_cannot_be_written_is_named(project: Project) -> None:
    project.checkout.with_name("checkout.carried").write_text("in the way")
    with pytest.raises(StorageError, match=r"checkout\.carried"):
        project.prepare()


def test_a_folder_that_links_out_of_the_repository_is_kept_as_a_link(project: Project) -> None:
    outside = project.user.parent / "shared"
    outside.mkdir()
    (outside / "precious").touch()
    (project.user / "vendor").symlink_to("../shared")
    prepared = project.prepare("vendor")
    assert os.fspath((project.checkout / "vendor").readlink()) == str(outside)
    assert f"`vendor` is a link to {outside}" in prepared.notes[0]
    project.another_run()
    project.prepare("vendor")
    project.refresh()
    assert (outside / "precious").exists()


def test_a_folder_that_links_inside_the_repository_is_copied(project: Project) -> None:
    (project.user / "vendor").symlink_to("node_modules")
    project.prepare("vendor")
    assert not (project.checkout / "vendor").is_symlink()
    assert (project.checkout / "vendor/plain/index.js").exists()


def test_a_candidate_cannot_lead_the_copy_or_the_clean_up_elsewhere(project: Project) -> None:
    project.write("web/package.json", "{}")
    project.write("web/node_modules/x.js", "x")
    elsewhere = project.user.parent / "elsewhere"
    (elsewhere / "node_modules").mkdir(parents=True)
    (elsewhere / "node_modules/precious").touch()
    (project.checkout / "web").mkdir()
    project.prepare("web/node_modules/")
    assert (project.checkout / "web/node_modules/x.js").exists()
    subprocess.run(["rm", "-rf", project.checkout / "web"], check=True)
    (project.checkout / "web").symlink_to(elsewhere)
    (note,) = project.refresh()
    assert "leads out of the checkout" in note
    assert names(elsewhere / "node_modules") == ["precious"]


def test_a_candidates_link_in_place_of_the_folder_is_replaced(project: Project) -> None:
    elsewhere = project.user.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    project.prepare()
    subprocess.run(["rm", "-rf", project.checkout / "node_modules"], check=True)
    (project.checkout / "node_modules").symlink_to(elsewhere)
    project.refresh()
    assert not (project.checkout / "node_modules").is_symlink()
    assert project.copied.exists()
    assert names(elsewhere) == ["precious"]


def test_a_package_the_candidate_removed_gets_nothing(project: Project) -> None:
    project.write("web/package.json", "{}")
    project.write("web/node_modules/x.js", "x")
    assert project.prepare("web/node_modules/").carried == ()
    assert not (project.checkout / "web").exists()


def test_kept_patterns_protect_the_copies_from_git_clean(project: Project) -> None:
    settings = VerificationSettings(carry=("node_modules", "odd [name]*"), keep=())
    project.write("odd [name]*/x", "x")
    project.another_run(settings)
    ignored = ("node_modules/", "odd [name]*/")
    project.prepare(*ignored)
    (project.checkout / "odd n").mkdir()
    (project.checkout / "odd n/x").touch()
    subprocess.run(["git", "init", "-q", project.checkout], check=True)
    kept = [word for pattern in project.checker.kept(ignored) for word in ("-e", pattern)]
    subprocess.run(["git", "clean", "-ffdxq", *kept], cwd=project.checkout, check=True)
    assert names(project.checkout) == [".git", "node_modules", "odd [name]*"]


def test_stale_dependencies_are_mentioned_when_a_lock_file_changes(project: Project) -> None:
    project.write("package-lock.json", "one")
    (project.checkout / "package-lock.json").write_text("one")
    project.prepare()
    assert project.refresh("src/a.js") == ()
    (project.checkout / "package-lock.json").write_text("two")
    (note,) = project.refresh("package-lock.json")
    assert note.startswith("`package-lock.json` has changed")
