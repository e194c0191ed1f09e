"""One page that shows a flow to a person: findings, steps, and three pictures side by side.

Everything is inside the file, so that it can be mailed or kept. It runs no script.
"""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from ralph import files
from ralph.checks.browser.result import FindingKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.checks.browser.result import FlowResult, Picture

_HEAD = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #c4233b; }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 100rem; padding: 1.5rem; }}
h1 {{ font-size: 1.5rem; margin: 0; }}
h2 {{ font-size: 1.15rem; margin: 2rem 0 .5rem; }}
p {{ margin: .25rem 0; }}
.good, .bad {{ font-weight: 600; }}
.good {{ color: var(--good); }} .bad {{ color: var(--bad); }}
.quiet {{ opacity: .7; }}
li {{ margin: .2rem 0; overflow-wrap: anywhere; }}
.pictures {{ display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); }}
figure {{ margin: 0; }}
figcaption {{ font-size: .9rem; margin-bottom: .25rem; }}
img {{ border: 1px solid var(--line); display: block; max-width: 100%; }}
@media (prefers-color-scheme: dark) {{ :root {{ --good: #56d364; --bad: #ff7b8a; }} }}
</style>
</head>
<body>
"""


def page(result: FlowResult, out: Path) -> str:
    """The page; the pictures are read from `out`."""
    return "\n".join(
        [
            _HEAD.format(title=escape(f"{result.flow}: {_verdict(result)}")),
            f"<h1>{escape(result.flow)}</h1>",
            f'<p class="{_class(result.passed)}">{_verdict(result)}</p>',
            f'<p class="quiet">{_effort(result)}</p>',
            *_findings(result),
            *(part for picture in result.pictures for part in _picture(picture, out)),
            *_steps(result),
            "</body>\n</html>\n",
        ]
    )


def _verdict(result: FlowResult) -> str:
    if result.passed:
        return "passed"
    number = len(result.findings)
    return f"failed: {number} {'finding' if number == 1 else 'findings'}"


def _effort(result: FlowResult) -> str:
    return f"{result.steps_done} of {len(result.steps)} steps done, {result.seconds:.1f} s"


def _class(passed: bool) -> str:
    return "good" if passed else "bad"


def _findings(result: FlowResult) -> Iterator[str]:
    if not result.findings:
        return
    yield "<h2>Findings</h2>\n<ul>"
    for one in result.findings:
        told = not one.step or one.kind is FindingKind.STEP
        step = "" if told else f' <span class="quiet">(at step {one.step})</span>'
        yield f"<li>{escape(one.text)}{step}</li>"
    yield "</ul>"


def _picture(picture: Picture, out: Path) -> Iterator[str]:
    yield f"<h2>{escape(_title(picture))}</h2>"
    if picture.wanted:
        yield f'<p class="{_class(picture.passed)}">{escape(_compared(picture))}</p>'
    if picture.url:
        yield f'<p class="quiet">{escape(picture.url)}</p>'
    yield '<div class="pictures">'
    shown = (("before", picture.before), ("now", picture.now), ("difference", picture.difference))
    for caption, name in shown:
        data = files.read(out / name) if name else None
        if data is not None:
            source = "data:image/png;base64," + base64.b64encode(data).decode()
            what = escape(f"{picture.name}, {caption}")
            yield f'<figure><figcaption>{caption}</figcaption><img src="{source}" alt="{what}">'
            yield "</figure>"
    yield "</div>"


def _title(picture: Picture) -> str:
    if not picture.wanted:
        return f"The page when {picture.name} failed"
    return f"{picture.name} (step {picture.step})"


def _compared(picture: Picture) -> str:
    if picture.comparison is None:
        return "There is no baseline yet."
    if picture.comparison.passed:
        return f"Matches its baseline: {picture.comparison.share:.2%} of the pixels differ."
    return f"The picture {picture.comparison.why}."


def _steps(result: FlowResult) -> Iterator[str]:
    if not result.steps:
        return
    yield "<h2>Steps</h2>\n<ol>"
    for number, step in enumerate(result.steps, 1):
        kind, word = _state(result, number)
        yield f'<li>{escape(step)} · <span class="{kind}">{word}</span></li>'
    yield "</ol>"


def _state(result: FlowResult, number: int) -> tuple[str, str]:
    """What became of a step, and how that is coloured."""
    noticed = any(one.step == number for one in result.findings)
    if number <= result.steps_done:
        return ("bad", "done, with findings") if noticed else ("good", "done")
    if number == result.steps_done + 1 and noticed:
        return "bad", "failed"
    return "quiet", "not run"
