"""Arithmetic with working days."""
