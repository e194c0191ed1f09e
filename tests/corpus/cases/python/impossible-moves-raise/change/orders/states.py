"""Which state follows which."""

TRANSITIONS = {
    "new": {"paid", "cancelled"},
    "paid": {"shipped", "cancelled"},
    "shipped": {"delivered"},
    "delivered": set(),
    "cancelled": set(),
}


class TransitionError(ValueError):
    """There is no way from one state to the other."""


def can(current, wanted):
    return wanted in TRANSITIONS[current]
