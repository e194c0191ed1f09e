"""What a cart costs, in cents."""


def subtotal(cart):
    return sum(line.total for line in cart.lines)


def total(cart, percent=0):
    """The subtotal less a percentage, rounded down."""
    if not 0 <= percent <= 100:
        raise ValueError("a percentage is between 0 and 100")
    return subtotal(cart) * (100 - percent) // 100
