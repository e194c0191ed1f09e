"""Which state follows which."""

TRANSITIONS = {
    "new": {"paid", "cancelled"},
    "paid": {"shipped", "cancelled"},
    "shipped": {"delivered"},
    "delivered": set(),
    "cancelled": set(),
}


def can(current, wanted):
    return wanted in TRANSITIONS[current]
