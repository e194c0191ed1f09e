"""A shopping cart."""

from cart.models import Cart, Line

__all__ = ["Cart", "Line"]
