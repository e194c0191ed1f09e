"""Everything that can go wrong and that a person can do something about.

RalphError
├── UsageError            the command line makes no sense (exit 2)
├── ConfigError           ralph.yaml, the environment or a flag holds a wrong value
├── PlanError             the plan cannot be read or makes no sense
├── RepoError             git or the work tree stands in the way
│   ├── NotARepository
│   ├── DirtyTree
│   └── GitFailed
├── AgentError            the agent cannot even be started
├── CheckError            the checks cannot even be started
├── LedgerError           the journal cannot be read or written
│   ├── LedgerBroken      its hash chain does not hold
│   └── DatabaseAway      the team's database does not answer; it may later
├── NotTrusted            the repository asks for something that nobody has accepted
├── NotForAgents          an agent gave a command that is for people
├── StorageError          a file cannot be written: disk full, read-only
└── RunHeld               another Ralph works on this repository

A message has at most three lines: what and where, then what to do. `exit_code` is what the
front door returns.
"""

from __future__ import annotations


class RalphError(Exception):
    """Something a person can put right."""

    exit_code = 1

    def __init__(self, what: str = "", *, fix: str = "") -> None:
        self.what = what or (type(self).__doc__ or "").strip()
        self.fix = fix
        super().__init__(self.what)

    def __str__(self) -> str:
        return f"{self.what}\n{self.fix}" if self.fix else self.what


class UsageError(RalphError):
    """The command line makes no sense."""

    exit_code = 2


class ConfigError(RalphError):
    """A setting holds a wrong value."""


class PlanError(RalphError):
    """The plan cannot be used."""


class RepoError(RalphError):
    """Git or the work tree stands in the way."""


class NotARepository(RepoError):
    """This folder is not inside a git repository."""


class DirtyTree(RepoError):
    """The work tree has uncommitted changes."""


class GitFailed(RepoError):
    """A git command failed."""

    def __init__(
        self, command: tuple[str, ...], exit_code: int, stderr: str, *, fix: str = ""
    ) -> None:
        self.command = command
        self.status = exit_code
        self.stderr = stderr
        first = stderr.strip().splitlines()[0] if stderr.strip() else "no message"
        super().__init__(f"`git {' '.join(command)[:200]}` exited {exit_code}: {first}", fix=fix)


class AgentError(RalphError):
    """The agent cannot be started."""


class CheckError(RalphError):
    """The checks cannot be started."""


class LedgerError(RalphError):
    """The ledger cannot be used."""


class LedgerBroken(LedgerError):
    """The ledger's hash chain does not hold."""


class DatabaseAway(LedgerError):
    """The team's database does not answer."""


class BudgetSpent(RalphError):
    """A budget that was set is used up."""

    exit_code = 4


class StorageError(RalphError):
    """A file cannot be written."""


class NotTrusted(RalphError):
    """The repository asks for something that nobody has accepted."""


class NotForAgents(RalphError):
    """This command is for people."""


class RunHeld(RalphError):
    """Another Ralph works on this repository."""
