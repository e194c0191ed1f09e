"""What a cart costs, in cents."""


def subtotal(cart):
    return sum(line.total for line in cart.lines)


def total(cart, percent=0, offers=()):
    """The subtotal less offers and then a percentage, rounded down."""
    if not 0 <= percent <= 100:
        raise ValueError("a percentage is between 0 and 100")
    less = sum(three_for_two(cart, sku) for sku in offers)
    return (subtotal(cart) - less) * (100 - percent) // 100


def three_for_two(cart, sku):
    """Cents off: one unit for each three, the cheapest ones first."""
    units = sorted(line.cents for line in cart.lines if line.sku == sku for _ in range(line.quantity))
    return sum(units[: len(units) // 3])
