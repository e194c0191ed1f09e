"""What a browser flow is: a server, an address, and steps that a person would take."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

TOLERANCE = 0.0001
"""The share of pixels that may differ: about ninety of a window of 1280 by 720."""
WIDTH, HEIGHT = 1280, 720


class FlowStepAction(StrEnum):
    """What one step of a flow does."""

    NAVIGATE = "navigate"
    CLICK = "click"
    TYPE = "type"
    WAIT = "wait"
    VERIFY = "verify"
    SCREENSHOT = "screenshot"


class FlowStep(Struct, frozen=True):
    """One thing that is done in the browser, or one thing that must be seen there."""

    action: FlowStepAction
    selector: str = ""
    text: str = ""
    url: str = ""
    count: int | None = None
    """How many elements the selector must find."""
    absent: bool = False
    """It must not be there."""
    enter: bool = False
    """Press Enter after typing."""
    seconds: float = 0
    """A pause of that length, where nothing better can be waited for."""
    timeout: float = 0
    """Seconds until the step has failed; 0 for the flow's own."""
    name: str = ""
    """What the picture is called."""
    mask: tuple[str, ...] = ()
    """Selectors of the parts of a picture that are not compared."""
    tolerance: float = TOLERANCE
    full_page: bool = False

    @property
    def shown(self) -> str:
        """The step in words."""
        if self.action is FlowStepAction.NAVIGATE:
            return f"navigate to {self.url or '/'}"
        if self.action is FlowStepAction.TYPE:
            return f'type "{self.text}" into {self.selector}'
        if self.action is FlowStepAction.SCREENSHOT:
            return f"screenshot {self.name}"
        if self.seconds:
            return f"wait {self.seconds:g} s"
        return f"{self.action} {self._seen()}"

    def _seen(self) -> str:
        """What the step looks for."""
        what = "no " if self.absent else ""
        if self.text:
            return f'{what}text "{self.text}"' + (f" in {self.selector}" if self.selector else "")
        if self.url:
            return f"{what}address {self.url}"
        if self.count is not None:
            return f"{self.count} of {self.selector}"
        return what + self.selector


class BrowserSettings(Struct, frozen=True):
    """How the browser is set up, and what of its complaints is no trouble."""

    width: int = WIDTH
    height: int = HEIGHT
    timeout: float = 10
    """Seconds that a step may take."""
    allow_console: tuple[str, ...] = ()
    """Patterns of errors in the console and of the page's own that are expected."""
    allow_requests: tuple[str, ...] = ()
    """Patterns of failed requests that are expected, such as `404 .*/missing`."""
    allow_hosts: tuple[str, ...] = ()
    """Hosts besides this machine that pages may reach."""
    chromium: str = ""
    """The program; empty to look for it."""


class Flow(Struct, frozen=True):
    """A flow file."""

    source: str
    """Its path, relative to the repository."""
    url: str
    steps: tuple[FlowStep, ...]
    serve: str = ""
    """The command that starts the server; `{port}` is a free port."""
    start_seconds: float = 30
    """How long the server may take to come up."""
    limit_seconds: float = 120
    """How long the whole may take in the browser."""
    browser: BrowserSettings = BrowserSettings()
