"""What in a stranger's repository has power over the person who runs Ralph there.

The principle: a setting of ralph.yaml needs a person's trust if it can
- choose what is run, or what that is given: programs, arguments, variables, rights, logins;
- reach outside the repository: another folder, another machine, an account of the person's;
- take away a fence that guards the person: a protected file, the sandbox, a limit on spending.

How strictly work is proven needs none. It runs nothing more than what was accepted, it decides only
which commits land on a branch of this very repository, and every report shows it. Prompts need
none either: PROMPT.md and templates are words for the agent, and Ralph runs nothing of them.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Needs(StrEnum):
    """When a setting needs trust. The default of a setting never does."""

    TRUST = "always"
    OUTSIDE = "outside the repository"
    """Only where it names a place outside of the repository."""
    FEWER = "fewer than by default"
    """Only where it leaves out something that the default has."""
    MORE = "more than by default"
    """Only where it is more than the default, or 0 for no limit."""
    NOTHING = ""


class Power(Struct, frozen=True):
    """One thing in a repository that needs trust."""

    where: str
    """The file."""
    name: str
    """The setting in it; empty where it is the file itself."""
    shown: str
    """What it says, for people: without passwords."""
    digest: str
    """Of all that it says."""

    @property
    def title(self) -> str:
        return f"{self.where}: {self.name}" if self.name else self.where


SETTINGS: dict[str, Needs] = {
    "agent": Needs.TRUST,
    "fallback": Needs.TRUST,
    "repo.root": Needs.OUTSIDE,
    "repo.branch_prefix": Needs.NOTHING,
    "repo.branch": Needs.NOTHING,
    "repo.workspace": Needs.NOTHING,
    "repo.protected": Needs.FEWER,
    "repo.checkpoint_every": Needs.NOTHING,
    "tasks.backend": Needs.NOTHING,
    # issues are read, commented on and closed with the person's own account
    "tasks.path": Needs.OUTSIDE,
    "tasks.parent_id_file": Needs.OUTSIDE,
    "tasks.github_close": Needs.NOTHING,
    "tasks.github_refresh_minutes": Needs.NOTHING,
    "memory.progress_file": Needs.OUTSIDE,
    "memory.archive_dir": Needs.OUTSIDE,
    "memory.scratchpad": Needs.OUTSIDE,
    "memory.progress_cap": Needs.NOTHING,
    "claude.command": Needs.TRUST,
    "claude.model": Needs.TRUST,
    "claude.permission_mode": Needs.TRUST,
    "claude.allowed_tools": Needs.TRUST,
    "claude.setting_sources": Needs.TRUST,
    "claude.env": Needs.TRUST,
    "claude.args": Needs.TRUST,
    "agents.<name>.command": Needs.TRUST,
    "agents.<name>.speaks": Needs.TRUST,
    "agents.<name>.model": Needs.TRUST,
    "agents.<name>.env": Needs.TRUST,
    "agents.<name>.home": Needs.TRUST,
    "verification.commands": Needs.TRUST,
    "verification.timeout_minutes": Needs.NOTHING,
    "verification.setup": Needs.TRUST,
    "verification.carry": Needs.OUTSIDE,
    "verification.keep": Needs.OUTSIDE,
    "verification.base": Needs.NOTHING,
    "verification.env": Needs.TRUST,
    "verification.network": Needs.TRUST,
    "verification.require": Needs.NOTHING,
    "verification.unproven": Needs.NOTHING,
    "verification.overlay": Needs.NOTHING,
    "verification.affected": Needs.NOTHING,
    "verification.red_green": Needs.NOTHING,
    "verification.canary": Needs.NOTHING,
    "verification.twist": Needs.NOTHING,
    "verification.smells": Needs.NOTHING,
    "verification.regression_pack": Needs.NOTHING,
    "verification.held_out": Needs.TRUST,
    "verification.judge": Needs.TRUST,
    "verification.reruns": Needs.NOTHING,
    "verification.side_by_side": Needs.NOTHING,
    "verification.note": Needs.NOTHING,
    "verification.ask": Needs.NOTHING,
    "verification.reject": Needs.NOTHING,
    "loop.max_iterations": Needs.MORE,
    "loop.max_minutes": Needs.MORE,
    "loop.max_cost": Needs.MORE,
    "loop.max_failures": Needs.NOTHING,
    "loop.max_attempts": Needs.NOTHING,
    "loop.max_minutes_per_iteration": Needs.NOTHING,
    "loop.max_idle_minutes": Needs.NOTHING,
    "loop.max_average_minutes": Needs.NOTHING,
    "loop.verification_retries": Needs.NOTHING,
    "loop.no_progress_iterations": Needs.NOTHING,
    "loop.max_wait_minutes": Needs.NOTHING,
    "loop.backoff_cap_seconds": Needs.NOTHING,
    "loop.on_escalation": Needs.NOTHING,
    "loop.ask_seconds": Needs.NOTHING,
    "loop.completion_promise": Needs.NOTHING,
    "loop.gutter.max_same_failure": Needs.NOTHING,
    "loop.gutter.max_churn_commits": Needs.NOTHING,
    "loop.gutter.similarity": Needs.NOTHING,
    "health.degraded_minutes": Needs.NOTHING,
    "health.stuck_minutes": Needs.NOTHING,
    "health.nudge_minutes": Needs.NOTHING,
    "health.nudges": Needs.NOTHING,
    "health.escalate_minutes": Needs.NOTHING,
    "health.dead_minutes": Needs.NOTHING,
    "health.start_minutes": Needs.NOTHING,
    "health.degraded_errors": Needs.NOTHING,
    "health.failing_errors": Needs.NOTHING,
    "health.tool_cycles": Needs.NOTHING,
    "health.breaker_failures": Needs.NOTHING,
    "health.breaker_minutes": Needs.NOTHING,
    "health.terminations": Needs.NOTHING,
    "handoff.context": Needs.NOTHING,
    "handoff.errors": Needs.NOTHING,
    "handoff.budget": Needs.NOTHING,
    "handoff.minutes": Needs.NOTHING,
    "handoff.wrap_up_minutes": Needs.NOTHING,
    # without a budget there is no limit, so that a file can only set one; but what happens at
    # its end, and from when on it counts, may undo one that the person has set
    "budget.organisation": Needs.NOTHING,
    "budget.day": Needs.NOTHING,
    "budget.project": Needs.NOTHING,
    "budget.task": Needs.NOTHING,
    "budget.since": Needs.TRUST,
    "budget.near": Needs.NOTHING,
    "budget.when_near": Needs.NOTHING,
    "budget.when_reached": Needs.TRUST,
    "budget.throttle_seconds": Needs.NOTHING,
    "budget.multi_agent_factor": Needs.NOTHING,
    "prompts.file": Needs.OUTSIDE,
    "prompts.templates": Needs.OUTSIDE,
    "prompts.context_chars": Needs.NOTHING,
    "prompts.entry_chars": Needs.NOTHING,
    "prompts.failure_lines": Needs.NOTHING,
    "prompts.max_files": Needs.NOTHING,
    "logs.dir": Needs.OUTSIDE,
    "logs.max_output_mb": Needs.NOTHING,
    "logs.keep_iterations": Needs.NOTHING,
    "ledger.url": Needs.TRUST,
    "ledger.organisation": Needs.TRUST,
    "ledger.direct": Needs.TRUST,
    "ledger.origin": Needs.TRUST,
    # what runs do is told to another machine, with the credentials of the person's environment
    "telemetry.otlp": Needs.TRUST,
    "safety.sandbox": Needs.TRUST,
    "safety.network": Needs.TRUST,
    "safety.hosts": Needs.TRUST,
    "safety.read": Needs.TRUST,
    "safety.write": Needs.TRUST,
    "safety.mask": Needs.TRUST,
    "safety.mask_allow": Needs.TRUST,
    "safety.allowed_commands": Needs.TRUST,
    "safety.memory_gb": Needs.TRUST,
    "safety.processes": Needs.TRUST,
    "safety.free_mb": Needs.TRUST,
    "notify.on": Needs.NOTHING,
    "notify.command": Needs.TRUST,
    "notify.env": Needs.TRUST,
    "notify.webhook": Needs.TRUST,
    "notify.headers": Needs.TRUST,
    "notify.desktop": Needs.TRUST,
    "notify.apprise": Needs.TRUST,
    # it stands in messages that the person has reason to believe
    "notify.link": Needs.TRUST,
    "notify.group_seconds": Needs.NOTHING,
    # the channel may be one that the person has set in the environment
    "notify.per_hour": Needs.MORE,
}
"""Every setting. One that is missing here needs trust, and a test fails until it is decided."""
