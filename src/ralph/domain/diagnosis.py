from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Sign(StrEnum):
    OK = "ok"
    NOTE = "note"
    """Nothing is wrong, but a person should know it."""
    PROBLEM = "problem"


class Diagnosis(Struct, frozen=True):
    """What one look at the surroundings found."""

    subject: str
    sign: Sign
    found: str
    fix: str = ""
    """What to do about a problem."""


def ok(subject: str, found: str) -> Diagnosis:
    return Diagnosis(subject, Sign.OK, found)


def note(subject: str, found: str, fix: str = "") -> Diagnosis:
    return Diagnosis(subject, Sign.NOTE, found, fix)


def problem(subject: str, found: str, fix: str) -> Diagnosis:
    return Diagnosis(subject, Sign.PROBLEM, found, fix)
