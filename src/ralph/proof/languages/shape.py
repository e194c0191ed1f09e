"""What a program does, in the same words for every language: rules about source read this.

A language turns its own tree into parts. What does nothing when the program runs (comments,
descriptions, types) is left out, so that two texts of one shape do the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

LITERALS = frozenset(("text", "number"))


class Part(Struct, frozen=True):
    """A piece of a program.

    | kind | text | parts |
    | --- | --- | --- |
    | text, number, word | its value; words are `None`, `true` … | |
    | name | with its dots, `a().b` where it hangs on a call | what it hangs on |
    | call | what is called | that, and what it is given |
    | write, update | the name that gets a value, or another one (`+= 1`) | that and the value |
    | list, table, pair | | what is in it |
    | equal | the sign | both sides |
    | if, case | | the condition; then what follows from it, and what else |
    | function | its name | what it is given, what decorates it, what it does |
    | class | its name | |
    | block, return, raise, import | of an import: the module | |
    | catch | what is caught; empty for everything | what is then done |
    | other | what the language calls it | |
    """

    kind: str
    text: str = ""
    parts: tuple[Part, ...] = ()
    line: int = 0
    end: int = 0

    @property
    def plain(self) -> str:
        """The same for what does the same, wherever it stands."""
        inside = ",".join(one.plain for one in self.parts)
        return f"{self.kind} {self.text!r}({inside})"

    @property
    def does(self) -> tuple[Part, ...]:
        """The statements of a function, or what follows from a condition."""
        body = self.parts[2:] if self.kind == "function" else self.parts[1:2]
        return body[0].parts if body and body[0].kind == "block" else body

    def walk(self) -> Iterator[Part]:
        waiting = [self]
        while waiting:
            one = waiting.pop()
            yield one
            waiting.extend(reversed(one.parts))

    def of(self, *kinds: str) -> Iterator[Part]:
        return (one for one in self.walk() if one.kind in kinds)

    def named(self, inside: str = "") -> Iterator[tuple[str, Part]]:
        """Its functions by the classes that they are in; not those inside of other functions."""
        for one in self.parts:
            if one.kind == "function":
                yield inside + one.text, one
            else:
                yield from one.named(f"{inside}{one.text}." if one.kind == "class" else inside)


def values(part: Part) -> tuple[str, ...]:
    """The literals in something that holds nothing else; none if it does."""
    if part.kind in LITERALS:
        return (part.text,)
    if part.kind != "list":
        return ()
    found = [values(one) for one in part.parts]
    return tuple(text for some in found for text in some) if all(found) else ()


def literals(part: Part) -> tuple[str, ...]:
    return tuple(one.text for one in part.of(*LITERALS))


def added(before: Part | None, after: Part, kinds: Collection[str]) -> Iterator[Part]:
    """What of these kinds is there that was not there before."""
    known = {one.plain for one in before.of(*kinds)} if before is not None else set()
    return (one for one in after.of(*kinds) if one.plain not in known)


def is_loose(before: Part | None, after: Part, used: Callable[[str], bool]) -> bool:
    """Whether all that was done to a file is to add things of which nobody makes use.

    `used` says whether a name is used in other files.
    """
    was = [one.plain for one in before.parts] if before is not None else []
    more = [one for one in after.parts if one.plain not in was]
    kept = [one for one in after.parts if one not in more]
    if len(kept) < len(was) or not more:
        return False  # something was taken away, or is otherwise now, or stands elsewhere
    names = {name for one in more for name in _defined(one)}
    inside = {name.text.partition(".")[0] for one in kept for name in one.of("name")}
    return not names & inside and not any(map(used, names))


def _defined(part: Part) -> Iterator[str]:
    if part.kind in ("function", "class", "write") and part.text:
        yield part.text
    elif part.kind == "other":
        for one in part.parts:
            yield from _defined(one)
