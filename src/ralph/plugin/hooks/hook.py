"""Claude Code's Stop hook for /ralph-loop and /ralph-review, and what starts and cancels a loop.

Run by path, `python3 -I -S hook.py stop|start|cancel`, with nothing but the standard library: it
starts at every end of a turn. Whatever goes wrong, it lets the person go.
"""

from __future__ import annotations

import os
import sys
from _json import encode_basestring_ascii as quoted

sys.path.insert(0, os.path.dirname(__file__))
from last_words import last_words
from loop_state import (
    FAILURES,
    MOST_SECONDS,
    Wrong,
    count,
    fields_in,
    loop_in,
    loop_text,
    now,
    parsed,
    remove,
    review_text,
    save,
    told_as_json,
    with_field,
    written,
)

TYPE_CHECKING = False
"""As in `typing`, which would take longer to import than all of this."""
if TYPE_CHECKING:
    from loop_state import Fields

STATE = ".claude/ralph-loop.local.md"
REVIEW_STATE = ".claude/review-loop-state.yaml"
CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
USUAL_CAP = 8
"""Blocks in a row that Claude Code honours; a tool call in between starts the count again."""
MOST_INPUT = 64 << 20
USAGE = "Usage: /ralph-loop PROMPT [--max-iterations N] [--completion-promise TEXT]"
SIGNALS = {
    "<review-complete>ALL_ISSUES_RESOLVED</review-complete>": "nothing is open",
    "<review-blocked>MANUAL_INTERVENTION_REQUIRED</review-blocked>": "a person has to decide",
    "<review-timeout>MAX_ITERATIONS_REACHED</review-timeout>": "a limit is reached",
}
"""What ends a review, whichever comes last in the answer."""

GO_ON = """\
{prompt}

---
This is iteration {iteration}{of}. The same task is given to you again until {until}.
Your earlier work is in the files and in git: look there first, and continue from there.
"""
PROMISE = """\
When, and only when, the task is completely done, write this line exactly:

<promise>{promise}</promise>

It is a statement of fact. Do not write it to get out of the loop, because you are stuck, or
because it is nearly true: a false promise is worse than an unfinished task. If you cannot continue,
say what is in the way instead; a person can end the loop with /cancel-ralph.
"""
REVIEW = """\
Keep {state} true while you work: `total_issues`, `pending_count`,
`fixed_count` and `blocked_count` count findings, `current_confidence` is how sure you are, of 100,
that nothing severe is left. You are free to go once nothing is pending, or the confidence reaches
its target.

The review ends when you write one of these lines, exactly, and it is true:

{signals}

Do not write the first one because you are tired of looking: a review that hides a finding is worse
than one that ends with an open one.
"""


def main(words: list[str]) -> int:
    wanted = words[1] if len(words) > 1 else ""
    deeds = {"stop": stop, "start": start, "cancel": cancel}
    if wanted not in deeds:
        sys.stderr.write("hook.py: say stop, start or cancel\n")
        return 2
    return deeds[wanted]()


def state_file(name: str = STATE) -> str:
    return os.path.join(os.environ.get("CLAUDE_PROJECT_DIR") or ".", name)


def stop() -> int:
    path, ended = state_file(), decide
    if not os.path.lexists(path):
        path, ended = state_file(REVIEW_STATE), decide_review
    if not os.path.lexists(path):
        return 0
    try:
        answer = ended(path, read_input())
    except Wrong as error:
        remove(path)
        answer = {"systemMessage": f"Ralph loop ended: {error}"}
    except OSError as error:
        answer = {"systemMessage": f"Ralph loop: {error}; you are free to go."}
    if answer:
        sys.stdout.write(told_as_json(answer) + "\n")
    return 0


def decide(path: str, event: Fields) -> Fields | None:
    """What Claude Code gets to hear: continue, it is over, or nothing."""
    text = written(path)
    state = loop_in(text)
    if not state["active"] or state["session_id"] not in ("", event.get("session_id")):
        return None
    number, most, promise = state["iteration"], state["max_iterations"], state["promise"]
    words = last_words(event)  # a turn without an answer ends the loop all the same
    if promise and promised(words) == squeezed(promise):
        remove(path)
        return {"systemMessage": f"Ralph loop: the promise was made in iteration {number}."}
    if 0 < most <= number:
        remove(path)
        return {"systemMessage": f"Ralph loop: the limit of {number} iterations is reached."}
    save(path, with_field(text, "iteration", number + 1))
    return {
        "decision": "block",
        "reason": instructions(state, number + 1),
        "systemMessage": told(number + 1, most),
    }


def decide_review(path: str, event: Fields) -> Fields | None:
    """The same for a review: it is over by a signal, by its counts, or at a limit."""
    text = written(path)
    fields, prompt = fields_in(text)
    whose = fields.get("session_id") or ""
    if fields.get("active") is not True or whose not in ("", event.get("session_id")):
        return None
    words = last_words(event)
    number, most = count(fields, "current_round", 1), count(fields, "max_rounds", 3)
    why = SIGNALS.get(signalled(words), "") or finished(fields, number, most)
    if why:
        remove(path)
        return {"systemMessage": f"Ralph review: round {number}, {why}."}
    number += 1
    text = with_field(text, "current_round", number)
    save(path, with_field(text, "last_updated", quoted(now())))
    open_ones = count(fields, "pending_count", 0)
    state = {"prompt": prompt, "promise": "", "max_iterations": most, "review": True}
    still = f"{many(open_ones, 'issue')} pending. " if open_ones else ""
    first = next(iter(SIGNALS))
    return {
        "decision": "block",
        "reason": instructions(state, number),
        "systemMessage": f"Ralph review: round {number} of {most}. {still}Write {first} when done.",
    }


def finished(fields: Fields, number: int, most: int) -> str:
    """Why a review is over without a signal; empty if it is not."""
    sure, wanted = count(fields, "current_confidence", 0), count(fields, "target_confidence", 0)
    left = count(fields, "pending_count", 0) + count(fields, "in_progress_count", 0)
    failures, limit = count(fields, "consecutive_failures", 0), count(fields, FAILURES, 0)
    if count(fields, "total_issues", 0) and not left:
        return "no issue is pending"
    if 0 < wanted <= sure:
        return f"the confidence is {sure}, {wanted} was wanted"
    if 0 < limit <= failures:
        return f"the limit of {many(failures, 'failure')} in a row is reached"
    if 0 < most <= number:
        return f"the limit of {many(most, 'round')} is reached"
    seconds = count(fields, "max_runtime_seconds", MOST_SECONDS)
    if 0 < seconds <= elapsed(fields.get("started_at")):
        return f"the limit of {many(seconds // 60, 'minute')} is reached"
    return ""


def many(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def elapsed(began: object) -> float:
    """Seconds since a moment such as 2026-11-01T12:00:00Z; 0 if it is none."""
    import time
    from datetime import UTC, datetime

    try:
        at = datetime.fromisoformat(str(began))
    except ValueError:
        return 0
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return time.time() - at.timestamp()


def instructions(state: Fields, number: int) -> str:
    most, promise = state["max_iterations"], state["promise"]
    ends = [f"you write <promise>{promise}</promise> and it is true"] if promise else []
    ends += ["you write one of the lines below"] if state["review"] else []
    ends += [f"iteration {most} is over"] if most else []
    text = GO_ON.format(
        prompt=state["prompt"],
        iteration=number,
        of=f" of {most}" if most else "",
        until=" or ".join(ends) or "a person cancels it",
    )
    if state["review"]:
        text += "\n" + REVIEW.format(signals="\n".join(SIGNALS), state=REVIEW_STATE)
    return text + ("\n" + PROMISE.format(promise=promise) if promise else "")


def told(number: int, most: int) -> str:
    text = f"Ralph loop: iteration {number}" + (f" of {most}" if most else "")
    cap = os.environ.get(CAP, "")
    if number >= USUAL_CAP and not cap.isdigit():
        text += f". Claude Code stops after {USUAL_CAP} rounds without a tool call ({CAP}=N: more)"
    return text + ". End it with /cancel-ralph."


def promised(text: str) -> str | None:
    """The last promise in the text, without odd spacing; None if there is none."""
    _, opened, rest = text.rpartition("<promise>")
    inside, closed, _ = rest.partition("</promise>")
    return squeezed(inside) if opened and closed else None


def signalled(text: str) -> str:
    """The signal of a review that comes last in the text; empty if there is none."""
    last = max(SIGNALS, key=text.rfind)
    return last if last in text else ""


def squeezed(text: str) -> str:
    return " ".join(text.split())


def read_input() -> Fields:
    raw = sys.stdin.buffer.read(MOST_INPUT)
    try:
        event = parsed(raw.decode())
    except ValueError:
        raise Wrong("its input is not JSON") from None
    if not isinstance(event, dict):
        raise Wrong("its input is not an object")
    return event


def start() -> int:
    """Begin a loop with the words of /ralph-loop, which come on standard input."""
    text = sys.stdin.read()
    try:
        state = wanted(text)
        begin(state)
    except (Wrong, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(instructions(state, 1))
    sys.stdout.write(f"\n{told(1, state['max_iterations'])}\n")
    if not (state["promise"] or state["max_iterations"] or state["review"]):
        sys.stdout.write("There is no limit and no promise: only /cancel-ralph will end it.\n")
    return 0


def begin(state: Fields) -> None:
    for path in (state_file(), state_file(REVIEW_STATE)):
        if os.path.lexists(path):
            raise Wrong(f"A Ralph loop is active here ({path}). End it with /cancel-ralph.")
    if state["review"]:
        save(state_file(REVIEW_STATE), review_text(state))
    else:
        save(state_file(), loop_text(state))


def wanted(text: str) -> Fields:
    import re

    most, promise = 0, ""
    option = re.compile(
        r"(?:^|\s)--(max-iterations|completion-promise)(?:[ \t]+|=)(\"[^\"]*\"|'[^']*'|\S+)"
    )
    for name, given in option.findall(text):
        value = given[1:-1] if given[0] in "\"'" and given[-1] == given[0] else given
        if name == "completion-promise":
            promise = squeezed(value)
        elif value.isdigit():
            most = int(value)
        else:
            raise Wrong(f"--max-iterations takes a number, not {value}.\n{USAGE}")
    prompt = option.sub("", text).strip()
    review = prompt.startswith("--review ")  # /ralph-review begins so, whatever follows
    prompt = prompt.removeprefix("--review ").strip()
    if not prompt:
        raise Wrong(f"There is no task to work on.\n{USAGE}")
    return {
        "max_iterations": most,
        "promise": promise,
        "about": squeezed(prompt.partition("\n")[0].partition(": ")[2]),
        "session_id": os.environ.get("CLAUDE_CODE_SESSION_ID", ""),
        "review": review,
        "prompt": prompt,
    }


def cancel() -> int:
    path, counter = state_file(), "iteration"
    if not os.path.lexists(path):
        path, counter = state_file(REVIEW_STATE), "current_round"
    there = os.path.lexists(path)
    try:
        where = f" at iteration {fields_in(written(path))[0][counter]}" if there else ""
    except (Wrong, OSError, KeyError):
        where = ""
    remove(path)
    if os.path.lexists(path):
        sys.stderr.write(f"{path} cannot be removed: remove it by hand.\n")
        return 1
    done = f"The Ralph loop was cancelled{where}." if there else "No Ralph loop is active here."
    sys.stdout.write(f"{done}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
