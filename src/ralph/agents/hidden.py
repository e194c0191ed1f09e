"""A file that an agent's command needs, and that is not there for the agent between its walls."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.task import shown
from ralph.process.walls import hides

if TYPE_CHECKING:
    from ralph.domain.task import Command
    from ralph.domain.trouble import Trouble
    from ralph.domain.walls import Walls

_PATH = re.compile(r"(?<![\w.~/-])~?/[^\s'\"`,;:()\[\]<>|&]+")


def explained(trouble: Trouble, walls: Walls, command: Command) -> Trouble:
    """The trouble, with the file that it names if that lies beside one of the command's own.

    Of any other file the agent is not told whether it is there.
    """
    named = map(os.path.expanduser, _PATH.findall(shown(command)))
    folders = tuple(f"{Path(one).parent}/" for one in named)
    said = (os.path.normpath(one.rstrip(".")) for one in _PATH.findall(trouble.message))
    path = next((one for one in said if one.startswith(folders) and hides(walls, one)), "")
    if not path:
        return trouble
    folder, name = os.path.split(path)
    why = f"{name} exists, but agents do not see it: name {folder} in `safety.read`."
    return replace(trouble, message=f"{trouble.message.rstrip('.')}. {why}")
