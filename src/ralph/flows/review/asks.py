"""The prompts for reviewers, refuters and the fixing agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.review import Standing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.review import Finding, Review
    from ralph.flows.review.roles import Role

DIFFERENCE = 60_000
"""Characters of a difference that a prompt shows."""

REVIEW_SHAPE = """\
{"findings": [
  {"path": "file, relative to this folder",
   "line": 12,
   "symbol": "the function, class or heading that it is in",
   "title": "what is wrong, in one short sentence",
   "severity": "critical, major or minor",
   "detail": "why it is wrong and what follows from it",
   "failing_input": "a concrete input or reading for which it goes wrong; empty if there is none",
   "suggestion": "what would mend it"}
 ],
 "still_open": [{"id": "F1", "why": "what its fix leaves wrong"}]}
"""
REFUTE_SHAPE = """\
{"holds": true, "confidence": 0.0, "failing_input": "", "why": "one or two sentences"}
"""
FIX_SHAPE = """\
{"cannot_fix": [{"id": "F1", "why": "what a person has to decide"}]}
"""

_REVIEW = """\
{role}

{scope}

Read and, if it helps, run things; change no file. This folder is a copy that is thrown away. Report
only what you can show. There is no number to reach: no finding at all is a good answer. Leave out
matters of taste and whatever a formatter or linter would say.

{known}Answer with your reasoning first, and end with one JSON block in this shape:

```json
{shape}```

`critical`: wrong results, lost data, an open door. `major`: it fails for some input that will come.
`minor`: all else. `still_open` is for findings from above whose fix does not help.
"""

_REFUTE = """\
Another agent claims that something is wrong. Try to prove that it is not. Change no file; this
folder is a copy that is thrown away.

{finding}

Read the place itself and what it depends on. Run it with the input in question where you can.
Claims like this are often false: the case is handled elsewhere, it cannot come, or the text says
something else. If the claim holds all the same, give the concrete input or reading for which it
goes wrong.

End with one JSON block:

```json
{shape}```

`confidence`, from 0 to 1, says how sure you are that the claim is true.
"""

_FIX = """\
Fix these findings of a review in this folder, all of them in one go, with as small a change as does
it properly. Mend the cause and not the symptom. Do not weaken, skip or delete tests; where code was
wrong, add a test that fails without your fix. Do not commit: Ralph verifies and commits.

{findings}
{checks}{failure}
If a finding cannot be fixed without a decision by a person, leave it and say so. End with one JSON
block:

```json
{shape}```
"""


def review(state: Review, role: Role, difference: str) -> str:
    """The prompt for a reviewer; from the second round on it sees the fix and what is open."""
    scope = _first(state, difference) if state.round == 1 else _later(difference)
    return _REVIEW.format(role=role.text, scope=scope, known=_known(state), shape=REVIEW_SHAPE)


def refute(finding: Finding) -> str:
    return _REFUTE.format(finding=described(finding), shape=REFUTE_SHAPE)


def fix(state: Review, findings: Iterable[Finding], commands: Iterable[str]) -> str:
    checks = "".join(f"- `{one}`\n" for one in commands)
    failure = state.fixing.failure
    return _FIX.format(
        findings="\n".join(described(one) for one in findings),
        checks=f"Afterwards these checks must pass:\n{checks}\n" if checks else "",
        failure=f"An earlier fix was undone:\n```\n{failure}\n```\n\n" if failure else "",
        shape=FIX_SHAPE,
    )


def described(one: Finding) -> str:
    remark = one.remark
    line = f", about line {remark.line}" if remark.line else ""
    place = f"{remark.path or 'the whole'}{line}" + (
        f", in {remark.symbol}" if remark.symbol else ""
    )
    parts = [f"## {one.id}: {remark.title}", f"{remark.severity} · {place}", remark.detail]
    parts += [f"Fails for: {remark.failing_input}"] if remark.failing_input else []
    parts += [f"Suggestion: {remark.suggestion}"] if remark.suggestion else []
    parts += [f"Said about it: {one.why}"] if one.why else []
    return "\n".join(part for part in parts if part) + "\n"


def _first(state: Review, difference: str) -> str:
    scope = state.scope
    part = f" Only the section `{scope.section}` counts." if scope.section else ""
    if not scope.base:
        names = "\n".join(f"- {name}" for name in scope.paths)
        return f"Review these files as they are in this folder:{part}\n{names}"
    return f"Review this change; the folder holds the state after it.{part}\n{_fenced(difference)}"


def _later(difference: str) -> str:
    return (
        "An earlier round of this review led to the fix below; the folder holds the state after "
        "it. Review the fix only: does it mend what it is for, for any input, and what does it "
        "break?\n" + _fenced(difference)
    )


def _known(state: Review) -> str:
    """Fixed ones are to be looked at again; open and refuted ones need not be reported again."""
    fixed = state.standing(Standing.IN_PROGRESS)
    others = state.standing(Standing.PENDING, Standing.BLOCKED, Standing.REFUTED)
    text = ""
    if fixed:
        text += "Said to be fixed now:\n" + "".join(map(_line, fixed)) + "\n"
    if others:
        text += "Known already, not to be reported again:\n" + "".join(map(_line, others)) + "\n"
    return text


def _line(one: Finding) -> str:
    return f"- {one.id}: {one.remark.title} ({one.remark.path or 'the whole'})\n"


def _fenced(difference: str) -> str:
    shown = difference[:DIFFERENCE]
    cut = "\n[the rest is left out: read the files]" if len(difference) > DIFFERENCE else ""
    fence = "````" if "```" in shown else "```"
    return f"{fence}diff\n{shown}{cut}\n{fence}"
