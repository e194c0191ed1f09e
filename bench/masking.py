"""What it costs to mask output, against hashing it, which reads each byte once."""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figures import Figure, interleaved

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZE = 10 << 20
PIECE = 1 << 20
ROUNDS = 7
TALK = b"a line of output as an agent might print it while it works on its task\n"


def speed(folder: Path) -> Iterator[Figure]:
    yield _measured(folder, "masking plain output, 10 MB", _filled(TALK), 200)
    yield _measured(folder, "masking source code, 10 MB", _filled(_source()), 50)
    yield _measured(folder, "masking stream-json, 10 MB", _filled(_stream_json()), 20)
    yield _measured(folder, "masking a secret in every line, 10 MB", _filled(_secrets()), 1)


def _measured(folder: Path, what: str, data: bytes, least: float) -> Figure:
    from ralph.policy.secrets.known import known
    from ralph.policy.secrets.masker import Masker
    from ralph.policy.secrets.stream import MaskedStream

    path = folder / "output.txt"
    path.write_bytes(data)
    secrets = known({f"TOKEN_{n}": f"v4lue-0f/tok3n+{n}-" + "aB3" * 6 for n in range(5)})

    def read() -> None:
        whole = hashlib.sha256()
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                whole.update(piece)

    def mask() -> None:
        stream = MaskedStream(Masker(secrets))
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                stream.feed(piece)
        stream.close()

    floor, ours = interleaved(read, mask, ROUNDS)
    rate = SIZE / 1e6 / (ours / 1000)
    note = f"{rate:.0f} MB/s with five known values"
    return Figure(what, ours, "ms", f"≥ {least:g} MB/s", rate >= least, floor, note)


def _filled(sample: bytes) -> bytes:
    return (sample * (SIZE // len(sample) + 1))[:SIZE]


def _source() -> bytes:
    library = Path(sysconfig.get_paths()["stdlib"])
    return b"".join(path.read_bytes() for path in sorted(library.glob("*.py")))


def _stream_json() -> bytes:
    import json

    text = Path(json.__file__).read_text(encoding="utf-8")
    said = {"type": "user", "message": {"content": [{"type": "tool_result", "content": text}]}}
    return json.dumps(said).encode() + b"\n"


def _secrets() -> bytes:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.support.secrets import positives

    return b"".join(case.text.replace("\n", " ").encode() + b"\n" for case in positives())
