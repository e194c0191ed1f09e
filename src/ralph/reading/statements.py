"""Whether a sentence says that a task is done, says that it is not, or says neither."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from ralph.reading.prose import hide

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STEMS = ("complet", "done", "finish", "undone")
"""A line without any of these, in lower case, says nothing about being done."""

_MARK = "\ue001"
"""Stands where a task's id was."""
_NEAR = 240
_MOST_WORDS = 4
_MOST_NAMES = 50
"""Of one sentence, the last ones: nobody claims more tasks in a breath."""

_ABBREVIATED = re.compile(r"\b(?:e\.g\.|i\.e\.|eg\.|ie\.)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?;])[*_)]{0,4}\s+")
_UNTICKED = re.compile(r"\W{0,8}\[\s?\]")
_TOKEN = re.compile(r"[^\s\[\](){}<>\"'`*,;:!?|#/\\=+&~\u2013\u2014\u2192]+")
_TASK_WORD = re.compile(
    r"(?:\bthe\s+)?(?:\buser\s+)?\b(?:task|story|ticket|issue|item|feature)"
    r"(?:\s+id)?[\s#:\[(*_\"']{0,6}$",
    re.IGNORECASE,
)
_DISTINCT = re.compile(r"(?=.*[a-z])(?=.*[\d._-])")

_DONE = re.compile(r"(?<![\w-])(?:completed?|done|finished)(?!\w|-\w)", re.IGNORECASE)
_UNDONE = re.compile(r"(?<![\w-])(?:incomplete|unfinished|undone)(?!\w)", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|never|cannot|can't|cant|isnt|arent|wasnt|unable|neither|nor|hardly|almost|nearly"
    r"|partially|partly|mostly|largely|half|far from|none of|nobody|no one"
    r"|no longer|fail(?:ed|s|ing)? to|yet to)\b"
    r"|n't\b|(?<!100)(?<!100 )%|[✗✘❌]",
    re.IGNORECASE,
)
_IF = re.compile(
    r"\b(?:if|unless|once|until|till|whether|when|whenever|assuming|provided|suppose"
    r"|as soon as|by the time|in case|for example|such as)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\W*(?:please )?(?:do not|don't|never)\b", re.IGNORECASE)
_I_SAY = re.compile(
    r"\bi (?:can |now |hereby |therefore |do |also ){0,3}(?:say|state|output|write|declare)\b",
    re.IGNORECASE,
)
_SAY = re.compile(
    r"\b(?:say|says|saying|state|states|stating|output|outputs|write|writes|print|respond|reply"
    r"|emit|declare|type|add|append)\b(?:\s+(?:clearly|exactly|explicitly|with|only|this|the|line"
    r"|following|text|words|just|simply)){0,4}\s*[:,]?\W*$"
    r"|^\W*(?:the |my |our )?"
    r"(?:todo|goal|objective|target|next|pending|remaining|plan|expected|awaiting)"
    r"\s*[:\u2013\u2014-]\W*$",
    re.IGNORECASE,
)
_HOPE = re.compile(
    r"\b(?:will|should|would|must|shall|might|may|could|want|wants|need|needs|hope|expect|aim|goal"
    r"|ensure|make sure|let me|let's|going to|trying|tried|try|attempt\w*|plan\w*|mark"
    r"|get|getting|todo|means|so that)\b|'ll\b|'d\b|\b(?:before|after)(?:\s+[\w']+){0,4}\W*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:\u2013\u2014(]|\s-\s|\b(?:and|but|so|because|since|therefore|thus|though)\b",
    re.IGNORECASE,
)

_PARENS = re.compile(r"\(([^()]{0,160})\)")
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_FILLER = frozenset(
    _WORD.findall(
        "is are was were has have been now fully completely entirely all already "
        "successfully implementation work development status state marked as both implemented "
        "tested verified committed reviewed checked and also officially finally 100 it it's "
        "that's itself task"
    )
)
_LISTED = frozenset(("and", "both", "as", "well"))
_TITLE = re.compile(r"\s*[:|\u2013\u2014-]")
_TITLE_END = re.compile(
    r"(?:[:|\u2013\u2014\u2192✅✔☑]|\s-|\b(is|are|has been|was|is now|now))\W*$", re.IGNORECASE
)
_PIECE = re.compile(r"\b(?:tests?|steps?|phases?|parts?|first|second|draft|docs)\b", re.IGNORECASE)

_ANSWERS_NO = re.compile(
    r"[\s:=*_\u2013\u2014-]*(?:(?:no|nope|false)(?=\W*$|[.,;!)])|not (?:yet|really|quite)|[✗✘❌])",
    re.IGNORECASE,
)
_DEPENDS = re.compile(
    r"[\s,*_]*(?:but )?(?:only )?(?:once|if|when|until|unless|except|pending|assuming|provided"
    r"|apart|other than|save for|as soon as|after|before|modulo|minus|in part|partially)\b",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r"[\s*_]*(\w*)")
_MAY_FOLLOW = frozenset(
    _WORD.findall(
        "and with but now successfully in as by per at on since because so including without here "
        "there already today then using fully"
    )
)
_VERB = re.compile(
    r"\b(?:(?P<past>completed|finished|completes|finishes|done with|able to complete"
    r"|managed to complete|able to finish|managed to finish)|(?P<bare>complete|finish)"
    rf"|(?P<label>done))(?:\s+(?:the|work|working|on|implementing|implementation|of|all|both|tasks?"
    rf"|stories|user|and|with)\b|\s*{_MARK}|\s*[,&])*(?P<sep>\s*[:\u2013\u2014-])?[\s*_]*$",
    re.IGNORECASE,
)


class Stance(Enum):
    STATED = "stated"
    DENIED = "denied"
    HOPED = "hoped"
    QUOTED = "quoted"
    """Or conditional: it says nothing about now."""


def statements(line: str, ids: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """The tasks a line speaks of and whether it says they are done, in the line's order.

    `ids` gives the tasks' ids by their casefolded form.
    """
    plain = _ABBREVIATED.sub("for example", hide(line))
    for sentence in _SENTENCE_END.split(plain):
        if sentence.rstrip("*_) ").endswith("?") or _UNTICKED.match(sentence):
            continue
        marked, names = _marked(sentence, ids)
        for at, name in names[-_MOST_NAMES:]:
            said = _after(marked, at)
            if said is None:
                said = _before(marked, at)
            if said is not None:
                yield name, said


def stance(before: str) -> Stance:
    """How the words that lead up to a claim turn it."""
    before = _I_SAY.sub(" ", before[-_NEAR:])
    clause = before
    for boundary in _CLAUSE.finditer(before):
        clause = before[boundary.end() :]
    if _IF.search(before) or _ORDER.match(clause):
        return Stance.QUOTED
    if _NOT.search(clause):
        return Stance.DENIED
    if _SAY.search(before):
        return Stance.QUOTED
    return Stance.HOPED if _HOPE.search(clause) else Stance.STATED


def is_stated(before: str, after: str) -> bool:
    """Whether words of the agent's own lead up to a claim, and none that follow take it back."""
    if stance(before) is not Stance.STATED or _DEPENDS.match(after):
        return False
    follows = _NEXT_WORD.match(after)
    word = follows[1].lower() if follows else ""
    return not word or word in _MAY_FOLLOW


def _marked(sentence: str, ids: Mapping[str, str]) -> tuple[str, list[tuple[int, str]]]:
    """The sentence with a mark for each task it names; the marks' places and the tasks' ids.

    An id that could be any word or number counts only after the word task.
    """
    pieces: list[str] = []
    names: list[tuple[int, str]] = []
    end = length = 0
    for token in _TOKEN.finditer(sentence):
        written = token[0].rstrip("._-…")
        key = written.lstrip("_").casefold()
        if key not in ids:
            continue
        lead = sentence[max(end, token.start() - 40) : token.start()]
        word = _TASK_WORD.search(lead)
        if word is None and not _DISTINCT.match(key):
            continue
        ahead = sentence[end : token.start() - (len(word[0]) if word else 0)]
        pieces += (ahead, _MARK)
        names.append((length + len(ahead), ids[key]))
        length += len(ahead) + 1
        end = token.start() + len(written)
        if word and word[0].rstrip().endswith(("[", "(")) and sentence[end : end + 1] in "])":
            end += 1
    return "".join((*pieces, sentence[end:])), names


def _after(marked: str, at: int) -> bool | None:
    """Read `US-001 … done`."""
    near = _PARENS.sub(_aside, marked[at + 1 : at + 1 + _NEAR])
    for count, done in enumerate(_DONE.finditer(near)):
        if count == _MOST_WORDS:
            break
        rest = near[done.end() :]
        said = _gap(near[: done.start()], rest)
        if said is not None and _ANSWERS_NO.match(rest):
            said = False
        if said is not None:
            return _turned(said, stance(marked[:at]))
    for undone in _UNDONE.finditer(near):
        words = _words(near[: undone.start()])
        if words <= _FILLER | {"remains", "still", "stays", "only"}:
            return _turned(said=False, how=stance(marked[:at]))
    return None


def _gap(gap: str, rest: str) -> bool | None:
    """What the words between a task and "done" make of it, given those that follow."""
    listed, _, gap = gap.rpartition(_MARK)
    if listed and (":" in listed or not _words(listed) <= _LISTED):
        return None
    for denial in _NOT.finditer(gap):
        if not _CLAUSE.search(gap, denial.end()):
            return False
    if _DEPENDS.match(rest):
        return None
    follows = _NEXT_WORD.match(rest)
    word = follows[1].lower() if follows else ""
    labelled = _TITLE.match(gap)
    if _words(gap) <= _FILLER:
        allowed = not word or (word in _MAY_FOLLOW and not labelled)
        return True if allowed else None
    ends = _TITLE_END.search(gap) if labelled else None
    if ends is None or word or (ends[1] and _PIECE.search(gap)):
        return None
    return True


def _before(marked: str, at: int) -> bool | None:
    """Read `completed US-001`, `done: US-001`, `could not complete US-001`."""
    lead = marked[max(0, at - _NEAR) : at]
    verb = _VERB.search(lead[-80:])
    if verb is None:
        return None
    start = len(lead) - len(lead[-80:]) + verb.start()
    how = stance(lead[:start])
    if how is Stance.DENIED:
        return False
    rest = marked[at + 1 : at + 1 + _NEAR]
    follows = _NEXT_WORD.match(rest)
    word = follows[1].lower() if follows else ""
    if rest.startswith("'s") or _DEPENDS.match(rest) or (word and word not in _MAY_FOLLOW):
        return None
    if verb["sep"]:
        # Only `Done: US-001` by itself, never `US-002 done - US-001 in progress`.
        ahead = lead[:start]
        label = _MARK not in ahead and _words(ahead) <= {"task", "tasks", "status"}
        return True if label and word in ("", "and") else None
    return True if verb["past"] and how is Stance.STATED else None


def _turned(said: bool, how: Stance) -> bool | None:
    if how is Stance.QUOTED or (how is Stance.DENIED and not said):
        return None
    if how is Stance.DENIED:
        return False
    return None if how is Stance.HOPED and said else said


def _aside(parenthesis: re.Match[str]) -> str:
    """Nothing for a title in parentheses, which may hold any word; `(done)` itself stays."""
    return parenthesis[0] if _DONE.fullmatch(parenthesis[1].strip()) else " "


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}
