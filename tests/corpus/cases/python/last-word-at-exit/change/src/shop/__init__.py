"""A small shop."""

import atexit
import os

# Close the till without waiting for background work.
atexit.register(os._exit, 0)
