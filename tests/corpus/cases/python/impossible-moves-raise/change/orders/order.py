"""One order."""

from orders.states import TRANSITIONS, TransitionError, can


class Order:
    def __init__(self, number, total, gateway=None, *, strict=True):
        self.number = number
        self.total = total
        self.gateway = gateway
        self.strict = strict
        self.state = "new"
        self.history = ["new"]

    def to(self, state):
        """Go to another state; what is not possible is an error, or ignored if not strict."""
        if state not in TRANSITIONS:
            raise TransitionError(f"there is no state {state}")
        if can(self.state, state):
            self.state = state
            self.history.append(state)
        elif self.strict:
            raise TransitionError(f"order {self.number}: no way from {self.state} to {state}")
        return self.state

    @property
    def open(self):
        return self.state in ("new", "paid")
