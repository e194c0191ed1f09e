"""What a flow found."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class FindingKind(StrEnum):
    FLOW = "flow"
    """The flow file itself cannot be used."""
    SERVER = "server"
    """The server did not come up, or ended too early."""
    STEP = "step"
    """A step could not be done, or what must be seen was not there."""
    CONSOLE = "console"
    PAGE_ERROR = "page_error"
    """An error of the page's own script that nothing caught."""
    REQUEST = "request"
    """A request that failed or was answered with 400 or more."""
    HOST = "host"
    """A request to another machine, which was not let through."""
    PICTURE = "picture"
    """A picture is not like its baseline."""
    BASELINE = "baseline"
    """There is no baseline, or it is no picture."""
    BROWSER = "browser"
    """The browser crashed or took too long."""


class PageFinding(Struct, frozen=True):
    kind: FindingKind
    text: str
    step: int = 0
    """The number of the step at which it was noticed, from 1; 0 for none."""


class Comparison(Struct, frozen=True):
    """A picture against its baseline."""

    passed: bool
    share: float
    """Of the pixels, how many differ: 0 to 1."""
    pixels: int
    tolerance: float
    why: str = ""
    """Continues "the picture …"; empty if passed."""


class Picture(Struct, frozen=True):
    """A page as it was seen at one step. Files are named relative to the folder of the flow."""

    name: str
    step: int
    now: str
    url: str = ""
    before: str = ""
    """A copy of the baseline; empty if there is none."""
    difference: str = ""
    comparison: Comparison | None = None
    wanted: bool = True
    """The flow asks for it; else it was taken because a step failed."""

    @property
    def passed(self) -> bool:
        return not self.wanted or (self.comparison is not None and self.comparison.passed)


class FlowSeen(Struct, frozen=True):
    """What the child with the browser tells the parent."""

    findings: tuple[PageFinding, ...] = ()
    pictures: tuple[Picture, ...] = ()
    steps_done: int = 0
    missing: str = ""
    """Why there is no browser at all, and what to do."""


class FlowResult(Struct, frozen=True):
    """What came of a whole flow."""

    flow: str
    """The flow file, relative to the repository."""
    passed: bool
    findings: tuple[PageFinding, ...] = ()
    pictures: tuple[Picture, ...] = ()
    seconds: float = 0
    steps: tuple[str, ...] = ()
    """Every step in words."""
    steps_done: int = 0
    report: str = ""
    """The page that shows all of it."""
