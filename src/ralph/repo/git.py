"""The one place that starts git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ralph.domain.errors import GitFailed, RepoError
from ralph.repo import programs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

ALWAYS = (
    # Nothing an agent may have planted in the repository is run on Ralph's behalf.
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "gc.auto=0"),
    *("-c", "core.splitIndex=false"),
    *("-c", "core.safecrlf=false"),
    *("-c", "submodule.recurse=false"),
    # A `git log` would have signatures verified, by a program that a setting names.
    *("-c", "log.showSignature=false"),
)
PROTOCOLS = "file:git:http:https:ssh"
"""How a partial clone may fetch what it lacks: not `ext`, which is any command."""
OUTER = "--ignore-submodules=dirty"
"""Only which commit a submodule is at: for more, git starts another git inside of it, which runs
the filters of that repository's own configuration. What is in there is the user's business."""
LISTED = ("config", "--list", "--show-scope", "--includes", "-z")
DURABLE = ("core.fsync=committed,loose-object,reference",)
"""Git leaves loose objects to the page cache unless told; what is kept must survive a power cut."""
NEARLY_FULL = 256 << 10
"""Free bytes below which a failure is taken for a full disk."""
KEPT = frozenset(
    {
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_EXEC_PATH",
    }
)
"""Who the user is and where the user's configuration lives; every other GIT_* is stripped."""


class GitResult(Struct, frozen=True):
    code: int
    out: bytes
    err: str


class Git(Struct, frozen=True):
    """Git bound to a repository, a work tree and an index. Safe to use from any thread."""

    git_dir: Path
    work_tree: Path
    index: Path | None = None
    """An index of our own; None is the user's."""
    settings: tuple[str, ...] = ()

    def using(self, index: Path | None) -> Git:
        return replace(self, index=index)

    def over(self, work_tree: Path) -> Git:
        return replace(self, work_tree=work_tree)

    def set(self, *settings: str) -> Git:
        return replace(self, settings=(*self.settings, *settings))

    def ask(self, *args: str, stdin: bytes = b"") -> GitResult:
        """Run it and return whatever came of it."""
        return _run((*self._bound(), *args), self.work_tree, self._environment(args), stdin)

    def standing(self, *args: str) -> subprocess.Popen[bytes]:
        """A git that reads what it has to do from standard input, until that ends."""
        return subprocess.Popen(
            ("git", *self._bound(), *args),
            # Elsewhere than in the repository: a git that idles there looks like one at work.
            cwd=os.sep,
            env=self._environment(args),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            process_group=0,  # as below
        )

    def _environment(self, args: tuple[str, ...]) -> dict[str, str]:
        env = _environment(literal="check-ignore" not in args)
        if self.index is not None:
            env["GIT_INDEX_FILE"] = str(self.index)
        return env | programs.overruling(self.git_dir, self.configuration)

    def configuration(self) -> bytes:
        """Every setting with its scope, as `programs` reads it. One process, which runs nothing."""
        return _run((*self._bound(), *LISTED), None, _environment(literal=True), b"").out

    def _bound(self) -> tuple[str, ...]:
        extra = (part for setting in self.settings for part in ("-c", setting))
        return (f"--git-dir={self.git_dir}", f"--work-tree={self.work_tree}", *ALWAYS, *extra)

    def run(self, *args: str, stdin: bytes = b"") -> bytes:
        """Its output; a GitFailed if it exits with anything but 0."""
        done = self.ask(*args, stdin=stdin)
        if done.code:
            raise self.failed(args, done)
        return done.out

    def failed(self, args: tuple[str, ...], done: GitResult) -> GitFailed:
        # Git does not always say why it could not write.
        places = (self.git_dir, self.work_tree, *((self.index.parent,) if self.index else ()))
        full = any(_free(place) < NEARLY_FULL for place in places)
        fix = ""
        if ".lock': File exists" in done.err:
            fix = "If no other git command is running, remove that lock file and try again."
        elif full or "No space left on device" in done.err:
            fix = "The disk is full: free some space, then run the same command again."
        return GitFailed(args, done.code, _telling(done.err), fix=fix)

    def text(self, *args: str, stdin: bytes = b"") -> str:
        return self.run(*args, stdin=stdin).decode("utf-8", "replace").strip()

    def names(self, *args: str, stdin: bytes = b"") -> tuple[str, ...]:
        """The file names of an output with `-z`."""
        return split_names(self.run(*args, stdin=stdin))


def discover(start: Path, *args: str, seconds: float | None = None) -> GitResult:
    """Git's own search for the repository around `start`, for what runs no filter."""
    env = _environment(literal="check-ignore" not in args)
    return _run(("-C", str(start), *ALWAYS, *args), None, env, b"", seconds)


def _free(place: Path) -> int:
    try:
        found = os.statvfs(place)
    except OSError:
        return NEARLY_FULL
    return found.f_bavail * found.f_frsize


def split_names(out: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(name) for name in out.split(b"\0") if name)


def join_names(names: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\0" for name in names)


def but_for(names: Collection[str], *command: str) -> tuple[str, ...]:
    """The command for the whole work tree, these files apart."""
    # Without names to leave out, the user's file names are never taken for patterns.
    magic = ("--no-literal-pathspecs",) if names else ()
    return (*magic, *command, "--", ".", *(f":(top,literal,exclude){name}" for name in names))


def _telling(err: str) -> str:
    """The lines that say what went wrong first, warnings and hints after them."""
    lines = err.splitlines()
    grave = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return "\n".join(grave + [line for line in lines if line not in grave])


def _run(
    args: tuple[str, ...],
    folder: Path | None,
    env: dict[str, str],
    stdin: bytes,
    seconds: float | None = None,
) -> GitResult:
    try:
        done = subprocess.run(
            ("git", *args),
            cwd=folder,
            env=env,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=seconds,
            # A Ctrl-C at the terminal is for Ralph: git must not die holding a lock. It stays in
            # Ralph's session: a child in another one is taken for an orphan and ended.
            process_group=0,
        )
    except subprocess.TimeoutExpired as error:
        raise RepoError(f"git gave no answer within {seconds:g} seconds.") from error
    except FileNotFoundError as error:
        if folder is not None and not folder.is_dir():
            raise RepoError(
                f"The folder {folder} is gone.", fix="Run `ralph run` again to recreate it."
            ) from error
        raise RepoError(
            "git is not installed or not on PATH.", fix="Install git 2.39 or newer."
        ) from error
    return GitResult(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def _environment(*, literal: bool) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k in KEPT}
    env |= {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        # A replacement ref would let an agent change what a commit appears to hold.
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ALLOW_PROTOCOL": PROTOCOLS,
    }
    if literal:  # which `check-ignore` refuses; it takes its names literally anyway
        env["GIT_LITERAL_PATHSPECS"] = "1"
    return env
