from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.domain.claim import Claim, ClaimKind, Claims
from ralph.reading.contribution import take as contribution
from ralph.reading.escalations import blocks, readable
from ralph.reading.follow_ups import take
from ralph.reading.prose import hide, spoken
from ralph.reading.statements import STEMS, Stance, is_stated, stance, statements

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ralph.reading.escalations import Block
    from ralph.reading.prose import ProseLine

EVIDENCE_CHARS = 200

_PROMISE = re.compile(
    r"<\s{0,4}promise\s{0,4}>([^<>]{0,300})<\s{0,4}/\s{0,4}promise\s{0,4}>", re.IGNORECASE
)
_TURNED_AFTER = re.compile(
    r"[^.!?\n]{0,60}\b(?:not|never|cannot|would|will|until|unless|once|when|if)\b|[^.!?\n]{0,60}n't\b",
    re.IGNORECASE,
)
_BLOCKED_TAG = re.compile(
    r"<\s{0,4}blocked\s{0,4}>([^<>]{1,2000})<\s{0,4}/\s{0,4}blocked", re.IGNORECASE
)
_HANDOFF_TAG = re.compile(
    r"<\s{0,4}handoff\s{0,4}>([^<>]{1,2000})<\s{0,4}/\s{0,4}handoff\s{0,4}>", re.IGNORECASE
)
_BLOCKED_LINE = re.compile(r"[^\w`\"']{0,12}BLOCKED[*_]{0,3}\s{0,4}[:\u2013\u2014]\W{0,6}(\w.*)")
_NOTHING = frozenset({"none", "no", "nothing", "n/a", "false", "nobody", "not"})
_NO_REASON = _NOTHING | {"", "why", "reason", "your reason"}
_THE_TASK = re.compile(r"\b(?:the|this) task\b(?!\s+[\[#(]?\w+-?\d)", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_ORNAMENT = "*_#-=!. \u2013\u2014✅🎉"
_TICK = re.compile(r"(?:[-*+]\s+)?\[[xX]\]\s+[*_]{0,2}TASK_COMPLETE[*_.]{0,3}")


def analyse(
    text: str, task: str, *, promise: str = "LOOP_COMPLETE", known: Collection[str] = ()
) -> Claims:
    """What the agent claims in its output: about its task, the other known tasks and the whole.

    The last clear statement about a task counts. Code, quotations, repeated instructions,
    conditions, intentions and denials claim nothing.
    """
    text = readable(text)
    found = list(blocks(text))
    asked = [block.escalation for block in found if block.escalation is not None]
    said = contribution(_without(text, found))
    text = said.rest
    suggested, lines = take(text, list(spoken(text)))
    claims = [
        Claim(ClaimKind.ESCALATE, task, _evidence(question.summary), question)
        for question in asked[-1:]
    ]
    claims += _done(lines, task, known)
    claims += _all_done(lines, promise)
    claims += _blocked(lines, task)
    claims += _handoff(lines, task)
    claims += [
        Claim(ClaimKind.FOLLOW_UP, task, _evidence(one.title), follow_up=one) for one in suggested
    ]
    return Claims(tuple(claims), said.contribution)


def ticked(prompt_text: str) -> bool:
    """Whether the prompt file has a ticked `- [x] TASK_COMPLETE`, outside of code."""
    if "TASK_COMPLETE" not in prompt_text:
        return False
    return any(_TICK.fullmatch(line.text) for line in spoken(prompt_text))


def _done(lines: Sequence[ProseLine], task: str, known: Collection[str]) -> Iterator[Claim]:
    ids = {name.casefold(): name for name in known}
    ids[task.casefold()] = task
    said: dict[str, str] = {}
    for line in lines:
        lower = line.text.lower()
        if not any(stem in lower for stem in STEMS):
            continue
        for name, done in _about(line.whole, task, ids):
            said.pop(name, None)
            if done:
                said[name] = line.text
    for name, evidence in said.items():
        yield Claim(ClaimKind.TASK_DONE, name, _evidence(evidence))


def _about(line: str, task: str, ids: dict[str, str]) -> list[tuple[str, bool]]:
    """What a line says of the tasks. "The task is not done" takes a claim back; it makes none."""
    told = list(statements(line, ids))
    if told or not _THE_TASK.search(line):
        return told
    named = _THE_TASK.sub(lambda _: f"task {task}", line)
    return [(name, False) for name, done in statements(named, ids) if not done]


def _without(text: str, found: Sequence[Block]) -> str:
    kept, at = [], 0
    for block in found:
        kept.append(text[at : block.start])
        at = block.end
    return "\n".join((*kept, text[at:]))


def _all_done(lines: Sequence[ProseLine], promise: str) -> list[Claim]:
    words = " ".join(promise.split())
    evidence = _promised(lines, words) or _said(lines, words)
    return [Claim(ClaimKind.ALL_DONE, evidence=_evidence(evidence))] if evidence else []


def _promised(lines: Sequence[ProseLine], promise: str) -> str:
    """The line that makes the promise in tags, if one does."""
    if not any("promise" in line.text.lower() for line in lines):
        return ""
    own = "\n".join(hide(line.whole) for line in lines)
    for tag in _PROMISE.finditer(own):
        if " ".join(tag[1].split()).casefold() not in ("done", promise.casefold()):
            continue
        ahead = own[max(0, tag.start() - 300) : tag.start()]
        before = _SENTENCES.split(ahead)[-1].rpartition("\n")[2]
        after = own[tag.end() : tag.end() + 80]
        if stance(before) is Stance.STATED and not _TURNED_AFTER.match(after):
            return before + tag[0]
    return ""


def _said(lines: Sequence[ProseLine], promise: str) -> str:
    """The line that says the promise without tags, if one does.

    A promise that is a plain word, such as DONE, has to be a sentence by itself and in the same
    case: "Done." is often said. Any other may stand in a sentence.
    """
    bare = promise.strip(_ORNAMENT)
    if not bare:
        return ""
    first = bare.split()[0].lower()
    words = r"\s+".join(map(re.escape, bare.split()))
    anywhere = re.compile(rf"(?<![\w./-]){words}(?![\w/-]|\.\w)", re.IGNORECASE)
    for line in lines:
        if first not in line.text.lower():
            continue
        for sentence in _SENTENCES.split(hide(line.text)):
            if " ".join(sentence.split()).strip(_ORNAMENT) == bare:
                return line.text
            found = None if bare.isalpha() else anywhere.search(sentence)
            if found and is_stated(sentence[: found.start()], sentence[found.end() :]):
                return line.text
    return ""


def _blocked(lines: Sequence[ProseLine], task: str) -> list[Claim]:
    last = ""
    for line in lines:
        if "blocked" not in line.text and "BLOCKED" not in line.text:
            continue
        own = hide(line.text)
        found = _BLOCKED_TAG.search(own) or _BLOCKED_LINE.fullmatch(own)
        if found and found[1].split()[0].strip(".,;!").lower() not in _NOTHING:
            last = line.text
    return [Claim(ClaimKind.BLOCKED, task, _evidence(last))] if last else []


def _handoff(lines: Sequence[ProseLine], task: str) -> list[Claim]:
    """The last request to be relieved, if there is one."""
    if not any("handoff" in line.text.lower() for line in lines):
        return []
    own = "\n".join(hide(line.whole) for line in lines)
    last = ""
    for tag in _HANDOFF_TAG.finditer(own):
        why = " ".join(tag[1].split())
        before = _SENTENCES.split(own[max(0, tag.start() - 300) : tag.start()])[-1]
        stated = stance(before.rpartition("\n")[2]) is Stance.STATED
        if stated and why.strip(" .…").lower() not in _NO_REASON:
            last = why
    return [Claim(ClaimKind.HANDOFF, task, _evidence(last))] if last else []


def _evidence(line: str) -> str:
    return line.strip()[:EVIDENCE_CHARS]
