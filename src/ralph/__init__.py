"""Ralph lets coding agents finish real work unattended: the agent claims, Ralph proves."""

TYPE_CHECKING = False
"""As in `typing`, which would take longer to import than all of `ralph --version`."""
if TYPE_CHECKING:
    from ralph.checks.browser.flow import BrowserSettings as BrowserAutomationConfig
    from ralph.checks.browser.flow import FlowStep, FlowStepAction
    from ralph.checks.browser.result import Comparison as VisualCompareResult
    from ralph.checks.browser.result import FlowResult as FlowVerificationResult
    from ralph.checks.browser.result import Picture as PageVerificationResult
    from ralph.checks.browser.tools import BrowserTools as QAAgentBrowserTools

__version__ = "0.1.0"

__all__ = [
    "BrowserAutomationConfig",
    "FlowStep",
    "FlowStepAction",
    "FlowVerificationResult",
    "PageVerificationResult",
    "QAAgentBrowserTools",
    "VisualCompareResult",
    "__version__",
]

_PUBLIC = {
    "BrowserAutomationConfig": "checks.browser.flow:BrowserSettings",
    "FlowStep": "checks.browser.flow:FlowStep",
    "FlowStepAction": "checks.browser.flow:FlowStepAction",
    "FlowVerificationResult": "checks.browser.result:FlowResult",
    "PageVerificationResult": "checks.browser.result:Picture",
    "QAAgentBrowserTools": "checks.browser.tools:BrowserTools",
    "VisualCompareResult": "checks.browser.result:Comparison",
}
"""Names for people who write programs with Ralph, and where they live under which name."""


if not TYPE_CHECKING:  # a type checker would take any name for one of ours

    def __getattr__(name: str) -> object:
        if name not in _PUBLIC:
            raise AttributeError(f"module 'ralph' has no attribute {name!r}")
        import importlib

        module, _, own = _PUBLIC[name].partition(":")
        return getattr(importlib.import_module(f"ralph.{module}"), own)
