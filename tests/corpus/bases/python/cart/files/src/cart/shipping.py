"""What it costs to send."""

FREE_FROM = 5000
FLAT = 490


def shipping(cents):
    """Cents for the parcel; nothing from 50.00 on."""
    return 0 if cents >= FREE_FROM else FLAT
