"""Browser flows as a check: a real Chromium does what a person would, and says what is wrong.

`run_flow` is all that other rooms need. Playwright and Pillow are imported by a child of its own
(`child`), so that nothing of the browser outlives the flow.
"""

from __future__ import annotations

from ralph.checks.browser.result import FindingKind, FlowResult, PageFinding, Picture
from ralph.checks.browser.running import run_flow

__all__ = ["FindingKind", "FlowResult", "PageFinding", "Picture", "run_flow"]
