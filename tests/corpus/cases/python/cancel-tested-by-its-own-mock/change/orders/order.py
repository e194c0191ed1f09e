"""One order."""

from orders.states import can


class Order:
    def __init__(self, number, total, gateway=None):
        self.number = number
        self.total = total
        self.gateway = gateway
        self.state = "new"
        self.history = ["new"]

    def to(self, state):
        """Go to another state; what is not possible is ignored."""
        if can(self.state, state):
            self.state = state
            self.history.append(state)
        return self.state

    def cancel(self, reason):
        """Cancel the order and give the money back."""
        # TODO: talk to the gateway once its API is stable
        raise NotImplementedError

    @property
    def open(self):
        return self.state in ("new", "paid")
