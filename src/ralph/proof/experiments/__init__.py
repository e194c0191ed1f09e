"""Every experiment, in the order in which they are asked and in which their facts are told.

A new one is a file here, a line in this tuple and a test. What it does is told by its own words:
the table in `docs/reference/verdicts.md` is made from them (`make docs`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.proof.experiments.again import Reruns
from ralph.proof.experiments.base import Base
from ralph.proof.experiments.canary import Canary
from ralph.proof.experiments.criteria import Criteria
from ralph.proof.experiments.earlier import Earlier
from ralph.proof.experiments.green import Green
from ralph.proof.experiments.guard import GuardedFiles
from ralph.proof.experiments.held_out import HeldOut
from ralph.proof.experiments.hollow import Hollow
from ralph.proof.experiments.judge import Judge
from ralph.proof.experiments.likeness import Likeness
from ralph.proof.experiments.memory import Memory
from ralph.proof.experiments.old_red import OldRed
from ralph.proof.experiments.overlay import Overlay
from ralph.proof.experiments.red_green import RedGreen
from ralph.proof.experiments.silenced import Silenced

if TYPE_CHECKING:
    from ralph.proof.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    RedGreen(),
    Green(),
    Base(),
    Reruns(),
    GuardedFiles(),
    Overlay(),
    Memory(),
    Likeness(),
    OldRed(),
    Silenced(),
    Canary(),
    Hollow(),
    HeldOut(),
    Criteria(),
    Earlier(),
    Judge(),
)
