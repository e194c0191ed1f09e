from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

COVERED = "covered by the general checks"
NOBODY = "nobody looked"
"""What is said of a criterion that no check and no test is known to be about."""
NOT_CONFINED = "Not confined: agents and checks had your rights"
"""What a note begins with where there were no walls."""
FENCED = "Confined in part, by Landlock: network, processes and your git folder were open to agents"
"""The same where there was a fence."""


class FactKind(StrEnum):
    """What a look at a change can find that speaks against it, or is at least worth a word."""

    NO_TEST_RAN = "no_test_ran"
    TEST_REMOVED = "test_removed"
    """A test of the base is gone, or no longer run."""
    TEST_REORGANISED = "test_reorganised"
    """The same, but it passes, its values are in other tests, and there are not fewer."""
    TEST_SKIPPED = "test_skipped"
    """A test of the base is skipped now."""
    TEST_REWRITTEN = "test_rewritten"
    """A test is green only because it was edited: as the base has it, it is red."""
    TEST_LOOSENED = "test_loosened"
    """What a test asserted still holds, and the test does not assert it any more."""
    OVERLAY_RED = "overlay_red"
    """With the base's own tests and configuration the check fails."""
    REPORT_FORGED = "report_forged"
    """What the runner reports is not what happened."""
    CANARY_SILENT = "canary_silent"
    """A test that must fail was added, and the check passed all the same."""
    UNHEEDED = "expectation_unheeded"
    """A test still passes if it expects something else."""
    UNNOTICED = "change_unnoticed"
    """The tests that show the work still pass if the changed functions do nothing."""
    PARTLY = "partly_untested"
    """The same of some of the functions: the others are shown by a test."""
    RUNNER_CHANGED = "runner_changed"
    """What starts or configures the tests was changed."""
    SHADOWED = "shadowed"
    """A file shadows a module that the tests rely on."""
    CI_CHANGED = "ci_changed"
    LINK_OUT = "link_out"
    """A link was added that leads out of the repository: what is there was never looked at."""
    AGENT_CONFIG = "agent_config"
    """What agents, editors or git hooks obey was changed, and the task does not speak of it."""
    SMELL = "smell"
    """The source does something that only makes sense to deceive a test."""
    ANSWERS = "answers_known"
    """The source holds the answers that its tests ask for, and nothing more."""
    SECRET = "secret"  # noqa: S105 - the name of a kind
    SUPPRESSED = "suppressed"
    """A comment silences a check."""
    SILENCED = "silenced"
    """The same where the check is a linter or the like: it would have spoken there."""
    NO_SOURCE = "no_source"
    """A feature or fix that changes no source, or only its comments."""
    UNRELATED = "unrelated"
    """No test shows it, and what was changed does not look like the task."""
    OFF_TASK = "off_task"
    """It changes what a task of this kind has no business with."""
    NO_RED_TEST = "no_red_test"
    """No test fails without the change."""
    BELOW = "below_required"
    """It is not proven as well as the settings want it."""
    UNMET = "criterion_unmet"
    """The check of one acceptance criterion fails."""
    FOR_A_PERSON = "criterion_for_a_person"
    """A criterion that no check can tell."""
    HELD_OUT_RED = "held_out_red"
    JUDGED = "judged"
    """Another agent speaks against it."""
    BROKE_EARLIER = "broke_earlier"
    """The check of a task that was finished before fails now."""
    FLAKY = "flaky"
    WAS_RED = "was_red"
    """A test was red before the task began; it is not held against it."""
    STILL_RED = "still_red"
    """The same of a test that can see the change: the task may be about it."""
    RULE = "rule_broken"
    """Of an experiment without a kind of its own: `Fact(FactKind.RULE, text, weight=…)`.

    What a task or a setting says of this kind holds for all such experiments.
    """


class Weight(StrEnum):
    """What follows from a fact."""

    NOTE = "note"
    ASK = "ask"
    REJECT = "reject"


class Fact(Struct, frozen=True):
    kind: FactKind
    text: str
    """What was found, for a person and for the next agent."""
    path: str = ""
    tests: tuple[str, ...] = ()
    detail: str = ""
    """For a person who has to decide: what the tests asserted, and what they assert now."""
    weight: Weight | None = None
    """What follows from it; None for what its kind says."""


class Weighed(Struct, frozen=True):
    """A fact and what follows from it, with the reason."""

    fact: Fact
    weight: Weight
    why: str = ""


class Evidence(Struct, frozen=True):
    """What proves one acceptance criterion, or that nothing does."""

    criterion: str
    how: str
    """The check behind it; empty where a person must look."""
    passed: bool | None = None
    """None: nobody has checked it."""
    output_sha256: str = ""
    log: str = ""
    bound: bool = False
    """The check is about this criterion alone, and not the task's general ones."""
