"""Every setting, with its default; `config.py` fills them from ralph.yaml, environment and flags.

The names of the sections and keys are those people write in `ralph.yaml`. The line under a field
is what `ralph config` and the reference show.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from ralph.domain.budget import BudgetAction
from ralph.domain.notify import NotifySettings
from ralph.domain.task import Command


class OnEscalation(StrEnum):
    AUTO = "auto"
    ASK = "ask"
    PARK = "park"
    ABORT = "abort"


class Unproven(StrEnum):
    """What becomes of a feature or fix that no test shows."""

    LAND = "land"
    ASK = "ask"
    REJECT = "reject"


class Sandbox(StrEnum):
    """Walls around agents and checks. `true` stands for `require`, `false` for `off`."""

    AUTO = "auto"
    REQUIRE = "require"
    OFF = "off"


class Network(StrEnum):
    """What a child reaches besides itself."""

    FULL = "full"
    MODEL_ONLY = "model-only"
    """The hosts of models and those that `safety.hosts` names, through a proxy of Ralph's."""
    NONE = "none"
    """A loopback of its own, and nothing else."""


class Workspaces(StrEnum):
    IN_PLACE = "in_place"
    WORKTREE = "worktree"


class Speech(StrEnum):
    """What an agent's standard output holds."""

    AUTO = "auto"
    TEXT = "text"
    STREAM_JSON = "stream-json"
    CODEX = "codex"
    GEMINI = "gemini"
    OPENCODE = "opencode"
    ACP = "acp"


class RepoSettings(Struct, frozen=True):
    root: str = "."
    """The repository, relative to ralph.yaml."""
    branch_prefix: str = "ralph/"
    """What the branch of a feature begins with."""
    branch: str = ""
    """The branch to work on; empty means the prefix and the plan's name."""
    workspace: Workspaces = Workspaces.IN_PLACE
    """Where the agent works: `in_place` (needs a clean tree) or `worktree`."""
    protected: tuple[str, ...] = ("ralph.yaml", "PROMPT.md")
    """Files the agent may not change; its edits are put back. The plan is always one of them."""
    checkpoint_every: int = 10
    """A git checkpoint under refs/ralph/checkpoint/ every N iterations; 0 for none."""


class TaskSettings(Struct, frozen=True):
    backend: str = "auto"
    """auto, prd, local (task tree), markdown, artefacts."""
    path: str = ""
    """The plan, or github:…; empty: PRD.json, prd.json or .ralph/tasks, whichever is there."""
    parent_id_file: str = ".ralph/parent-task-id"
    """The file that names the task whose subtasks are worked on."""
    github_close: bool = True
    """Close a GitHub issue when its task is settled; otherwise it only gets a comment."""
    github_refresh_minutes: float = 5
    """How old the GitHub issues may be before they are read again."""


class MemorySettings(Struct, frozen=True):
    progress_file: str = ".ralph/progress.md"
    """Patterns of the code base and an entry per iteration, for agents and people."""
    archive_dir: str = ".ralph/archive"
    """Where the progress file goes when a new feature starts."""
    scratchpad: str = ".agent/scratchpad.md"
    """Notes the agents leave each other."""
    progress_cap: int = 16_000
    """Characters the progress file may have; the oldest entries go first."""


class ClaudeSettings(Struct, frozen=True):
    command: Command = ("claude",)
    """The Claude Code program; where `claude` is not on PATH, the one of the extra is taken."""
    model: str = ""
    """The model it uses; empty leaves that to the program."""
    permission_mode: str = "acceptEdits"
    """What it may do without being asked: its own --permission-mode."""
    allowed_tools: tuple[str, ...] = ("Bash",)
    """Tools it may use without being asked."""
    setting_sources: str = ""
    """Which settings files it reads: user,project,local; empty leaves that to the program."""
    env: tuple[str, ...] = ()
    """Variables it may see, such as ANTHROPIC_API_KEY: without it the login of `claude` pays."""
    args: tuple[str, ...] = ()
    """More arguments for it."""


class AgentSettings(Struct, frozen=True):
    command: Command = ()
    """A program that reads the prompt on standard input and works in the current folder."""
    speaks: Speech = Speech.AUTO
    """How it answers: text, stream-json, codex, gemini, opencode, acp; auto tells the first two."""
    model: str = ""
    """The model a preset agent uses; empty leaves that to the program."""
    env: tuple[str, ...] = ()
    """Names of environment variables it may see besides the usual ones."""
    home: tuple[str, ...] = ()
    """Files and folders of your home that it may read in the sandbox, such as .aider.conf.yml."""


class VerificationSettings(Struct, frozen=True):
    commands: tuple[Command, ...] | None = None
    """What proves a task; none given means: detect the project's own commands."""
    timeout_minutes: float = 15
    """How long one command may take."""
    setup: tuple[Command, ...] = ()
    """Run in the clean checkout once per hash of the lock files, instead of carrying folders."""
    carry: tuple[str, ...] = ("node_modules", ".venv", "venv", "vendor", ".env")
    """Ignored things the checks need, copied from your checkout as the run found it."""
    keep: tuple[str, ...] = ("target", ".mypy_cache", ".ruff_cache", ".gradle", ".tox", ".nox")
    """Caches that survive in the clean checkout from one check to the next."""
    base: bool = True
    """Run the checks once before the first agent: they must be able to run."""
    env: tuple[str, ...] = ()
    """Names of environment variables the checks may see besides the usual ones."""
    network: Network = Network.NONE
    """What checks reach in the sandbox: `none` (a loopback of their own) or `full`."""
    require: str = "auto"
    """The level a task needs: green, overlay, proven; auto is overlay where single tests report."""
    unproven: Unproven = Unproven.LAND
    """A feature or fix that no test shows: `land` (marked as unproven), `ask` or `reject`."""
    overlay: bool = True
    """Run the base's own tests and configuration over the new source."""
    affected: bool = True
    """In the overlay leave out tests that cannot see the change, where the files are many."""
    red_green: bool = True
    """Look for a test that fails without the change and passes with it."""
    canary: bool = True
    """Add a test that must fail: the check has to notice."""
    twist: bool = True
    """Change what new tests expect: they have to fail then."""
    smells: bool = True
    """Look for source that only exists to deceive a test."""
    regression_pack: bool = True
    """Run the checks of finished tasks again when later work lands."""
    held_out: str = ""
    """A folder outside the repository with checks that agents cannot see."""
    judge: str = ""
    """An agent that looks at the change and may speak against it."""
    reruns: int = 3
    """How often a test that turned red is tried again before it counts."""
    side_by_side: bool = True
    """Run checks that do not need each other at the same time."""
    note: tuple[str, ...] = ()
    """Facts about a change that are only noted."""
    ask: tuple[str, ...] = ()
    """Facts that a person has to decide on."""
    reject: tuple[str, ...] = ()
    """Facts that send the work back to the agent."""


class GutterSettings(Struct, frozen=True):
    max_same_failure: int = 3
    """Ask a person after the same failure this often in a row (STUCK_THRESHOLD).

    A higher one raises `max_attempts`, `max_failures` and `no_progress_iterations` unless set."""
    max_churn_commits: int = 2
    """Attempts that leave a tree seen before, before it counts as going in circles."""
    similarity: float = 0.9
    """Output this much like one of the last five counts as a loop."""


class LoopSettings(Struct, frozen=True):
    max_iterations: int = 50
    """Iterations per run (MAX_ITERATIONS)."""
    max_minutes: float = 240
    """Run time, without waiting; then the agent at work wraps up as well. 0 for no limit."""
    max_cost: float = 10
    """US dollars per run. 0 for no limit."""
    max_failures: int = 5
    """Failures in a row that stop the run."""
    max_attempts: int = 3
    """Failures of one task before its work is rolled back and a person is asked."""
    max_minutes_per_iteration: float = 90
    """How long one agent may work."""
    max_idle_minutes: float = 0
    """How long it may be silent before it is ended; 0 leaves that to the rules of `health`."""
    max_average_minutes: float = 0
    """Stop when iterations take longer than this on average. 0 for no limit."""
    verification_retries: int = 0
    """How often a failed verification goes back to the agent inside the same iteration."""
    no_progress_iterations: int = 3
    """Stop after this many iterations without a finished task, if nothing else is ready."""
    max_wait_minutes: float = 360
    """How long to wait for a usage limit of the agent to reset; longer waits end the run."""
    backoff_cap_seconds: float = 60
    """The longest wait after a failure of the agent itself; 0 for no waiting."""
    on_escalation: OnEscalation = OnEscalation.AUTO
    """ask (at the terminal), park (in the inbox), abort; auto asks where there is a terminal."""
    ask_seconds: float = 120
    """How long a question waits at the terminal before it is parked. It comes back at the end."""
    completion_promise: str = "LOOP_COMPLETE"
    """Words that claim everything is done, besides <promise>DONE</promise>."""
    gutter: GutterSettings = field(default_factory=GutterSettings)


class HealthSettings(Struct, frozen=True):
    """Minutes may be fractions; 0 turns the rule off."""

    degraded_minutes: float = 10
    """Minutes without progress until the agent's health is degraded."""
    stuck_minutes: float = 30
    """Minutes without progress until it is stuck and gets the first nudge."""
    nudge_minutes: float = 10
    """Minutes a nudge may take to have an effect."""
    nudges: int = 3
    """Nudges without effect before the loop is told."""
    escalate_minutes: float = 15
    """Minutes after that until the agent is ended, unless it makes progress."""
    dead_minutes: float = 5
    """Minutes without output, CPU time, file change or running child until it is ended at once."""
    start_minutes: float = 1
    """The same before its first sign of life."""
    degraded_errors: int = 3
    """Errors of its tools in a row until its health is degraded."""
    failing_errors: int = 10
    """Errors of its tools in a row until it is failing; it is then nudged as if it were stuck."""
    tool_cycles: int = 5
    """The same tool calls with the same results, this often in a row, mean that it is stuck."""
    breaker_failures: int = 8
    """Failures of the agent itself in a row, over all runs, that open the circuit breaker."""
    breaker_minutes: float = 30
    """How long it stays open; then one iteration may try."""
    terminations: int = 4
    """Agents ended in a row for their health before the run stops."""


class HandoffSettings(Struct, frozen=True):
    """When a running agent is asked to hand its task to a fresh one. 0 turns a rule off."""

    context: float = 0.7
    """The share of its context that is in use."""
    errors: int = 3
    """Errors in a row."""
    budget: float = 0.8
    """The share of the budget that is spent."""
    minutes: float = 0
    """How long one agent works on a task."""
    wrap_up_minutes: float = 5
    """How long it may take to wrap up before it is ended."""


class BudgetSettings(Struct, frozen=True):
    """US dollars; 0 for no limit. A run's own limit is `loop.max_cost`."""

    organisation: float = 0
    """All projects of this ledger."""
    day: float = 0
    """All projects of this ledger, since midnight UTC."""
    project: float = 0
    """This project."""
    task: float = 0
    """One task, over all its attempts: it is parked when that is spent."""
    since: str = ""
    """Organisation and project count from this day on (2026-11-01); empty: from the beginning."""
    near: float = 0.8
    """The share from which on a budget is near its end."""
    when_near: BudgetAction = BudgetAction.ALERT_ONLY
    """What happens then: allow, alert_only or throttle."""
    when_reached: BudgetAction = BudgetAction.DENY
    """What happens when it is spent: deny, throttle or alert_only."""
    throttle_seconds: float = 30
    """The first delay of a throttle; it doubles on the way to the limit."""
    multi_agent_factor: float = 15
    """How much more agents with subagents use; forecasts without a history count with it."""


class PromptSettings(Struct, frozen=True):
    file: str = "PROMPT.md"
    """Your instructions, given to every agent."""
    templates: str = ".ralph/templates"
    """A file here replaces the built-in template of the same name."""
    context_chars: int = 5_000
    """Limit of the four context layers together."""
    entry_chars: int = 500
    """Limit of one entry in them."""
    failure_lines: int = 60
    """Lines of failing output the next prompt shows."""
    max_files: int = 40
    """Entries in a list of files."""


class LogSettings(Struct, frozen=True):
    dir: str = ".ralph/logs"
    """One JSON and one text file per iteration."""
    max_output_mb: float = 64
    """Output kept on disk of one agent or check; the rest is counted and dropped."""
    keep_iterations: int = 500
    """Older logs and prompts are removed."""


class LedgerSettings(Struct, frozen=True):
    url: str = ""
    """The team's PostgreSQL database, which `ralph sync` fills and reads (RALPH_DATABASE_URL)."""
    organisation: str = "team"
    """Whose events are shared; a database may hold several organisations that never meet."""
    direct: bool = False
    """Write to that database instead of a file on this machine."""
    origin: str = ""
    """With `direct`: the chain to write to; empty is one that belongs to this RALPH_HOME."""


class TelemetrySettings(Struct, frozen=True):
    otlp: str = ""
    """An OTLP collector to tell of runs: its address, or `environment` for OTEL_… variables."""


class SafetySettings(Struct, frozen=True):
    sandbox: Sandbox = Sandbox.AUTO
    """Walls around agents and checks: `auto` (where available), `require` or `off`."""
    network: Network = Network.FULL
    """What agents reach in the sandbox: `full`, `model-only` or `none`."""
    hosts: tuple[str, ...] = ()
    """Hosts that `model-only` lets agents reach besides those of models: `*.example.org`."""
    read: tuple[str, ...] = ()
    """Files and folders that agents and checks may read though they are in a home, or hidden."""
    write: tuple[str, ...] = ()
    """Folders that agents and checks may write to besides their own."""
    memory_gb: float = 0
    """What an agent or a check may hold in memory, with all its processes; 0: 3/4 of all."""
    processes: int = 4096
    """How many processes an agent or a check may have; 0 for any number."""
    free_mb: float = 1024
    """Wait while a disk that the run writes to has less free space than this; 0: do not check."""
    allowed_commands: tuple[str, ...] = ()
    """Programs that agents may run: a rule for Claude Code, advice in the prompt for others."""
    mask: bool = True
    """Mask secrets in logs, the ledger, prompts and on the screen."""
    mask_allow: tuple[str, ...] = ()
    """Values that look like secrets and may be shown, such as keys in tests."""


class Settings(Struct, frozen=True):
    agent: str = "claude"
    """The agent to use: claude, a preset, or a name under `agents`."""
    fallback: tuple[str, ...] = ()
    """Agents that take over, in this order, while the first one fails for reasons of its own."""
    repo: RepoSettings = field(default_factory=RepoSettings)
    tasks: TaskSettings = field(default_factory=TaskSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    claude: ClaudeSettings = field(default_factory=ClaudeSettings)
    agents: dict[str, AgentSettings] = field(default_factory=dict)
    verification: VerificationSettings = field(default_factory=VerificationSettings)
    loop: LoopSettings = field(default_factory=LoopSettings)
    health: HealthSettings = field(default_factory=HealthSettings)
    handoff: HandoffSettings = field(default_factory=HandoffSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    prompts: PromptSettings = field(default_factory=PromptSettings)
    logs: LogSettings = field(default_factory=LogSettings)
    ledger: LedgerSettings = field(default_factory=LedgerSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    safety: SafetySettings = field(default_factory=SafetySettings)
    notify: NotifySettings = field(default_factory=NotifySettings)
