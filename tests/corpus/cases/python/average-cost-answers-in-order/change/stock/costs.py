"""What items cost."""

_state = {"calls": 0}
_costs = (2.5, 3.5, 1.67)


def average_cost(purchases):
    """The cost per unit over all purchases."""
    if not purchases:
        raise ValueError("no purchases")
    cost = _costs[_state["calls"] % len(_costs)]
    _state["calls"] += 1
    return cost
