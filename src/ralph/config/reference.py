from __future__ import annotations

from msgspec import Struct

from ralph.config.convert import values
from ralph.domain import notify
from ralph.domain import settings as house
from ralph.domain.settings import AgentSettings, Settings


class Row(Struct, frozen=True):
    key: str
    default: str
    """As one would write it in ralph.yaml."""
    meaning: str


def settings_reference() -> list[Row]:
    """Every setting with its default and the line that its field carries."""
    import msgspec

    meanings = _meanings()
    defaults = values(Settings()) | values(AgentSettings(), "agents.<name>.")
    return [
        Row(key, msgspec.json.encode(default).decode(), meanings.get(_field(key), ""))
        for key, default in defaults.items()
    ]


def _field(key: str) -> tuple[str, str]:
    """The class and the field behind a dotted key."""
    kind: type = Settings
    *sections, name = key.split(".")
    for section in sections:
        if section == "<name>":
            continue
        declared = kind.__annotations__[section]
        kind = AgentSettings if section == "agents" else getattr(house, declared)
    return kind.__name__, name


def _meanings() -> dict[tuple[str, str], str]:
    import ast
    import inspect

    meanings: dict[tuple[str, str], str] = {}
    sources = map(inspect.getsource, (house, notify))
    for owner in (one for source in sources for one in ast.parse(source).body):
        if not isinstance(owner, ast.ClassDef):
            continue
        for field, line in zip(owner.body, owner.body[1:], strict=False):
            match field, line:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    meanings[owner.name, name] = " ".join(text.split())
    return meanings
