"""Ralph lets coding agents finish real work unattended: the agent claims, Ralph proves."""

__version__ = "0.1.0"
