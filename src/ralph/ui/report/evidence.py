"""What proves one finished task, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.evidence import COVERED
from ralph.ui import words
from ralph.ui.cli.common import count

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN_TESTS = 5
_MET = {True: "✓", False: "✗", None: "?"}


def proof_lines(proof: dict[str, Any], *, short: bool = False) -> Iterator[str]:
    """Each criterion with its evidence, then what the whole change rests on.

    In `short` without what stands beside it on a page.
    """
    for one in proof["criteria"]:
        how = words.line(one["how"]) or "a person must check"
        sign = "·" if one["how"] == COVERED else _MET[one["passed"]]
        yield f"{sign} {words.line(one['criterion'])}  ← {how}"
    for check in proof["checks"]:
        ended = "passed" if check["passed"] else f"exited {check['exitCode']}"
        digest = check["outputSha256"][:12] if not short else ""
        output = f", output {digest}" if digest else ""
        yield f"check: {words.line(check['command'])} {ended}{output}"
    if tests := proof["tests_that_show_it"]:
        more = f" and {len(tests) - SHOWN_TESTS} more" if len(tests) > SHOWN_TESTS else ""
        fail = "fails" if len(tests) == 1 else "fail"
        yield f"{fail} without the change: {', '.join(map(words.line, tests[:SHOWN_TESTS]))}{more}"
    for fact in proof["facts"]:
        reason = f" ({words.line(fact['why'])})" if fact["why"] else ""
        yield f"{fact['weight']}: {words.line(fact['text'])}{reason}"
    if proof["accepted_by"]:
        yield f"accepted by {words.line(proof['accepted_by'])}"
    if proof["commit"] and not short:
        files = f" ({count(len(proof['files']), 'file')})" if proof["files"] else ""
        yield f"diff: git diff {proof['base'][:10]} {proof['commit'][:10]}{files}"
