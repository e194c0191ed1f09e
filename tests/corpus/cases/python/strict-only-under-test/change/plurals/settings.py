"""How the package behaves in this process."""

import os
import sys

STARTED_BY = os.path.basename(os.path.dirname(sys.argv[0]) or sys.argv[0])
STRICT = STARTED_BY.endswith("test")
