"""The front door: what must be quick is answered before anything heavy is imported."""

from __future__ import annotations

import gc
import sys

from ralph import __version__


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"ralph {__version__}\n")
        return
    if sys.argv[1:2] == ["hook"]:
        import runpy

        script = f"{__file__.removesuffix('__main__.py')}plugin/hooks/hook.py"
        sys.argv = [script, *sys.argv[2:]]
        runpy.run_path(script, run_name="__main__")
    # starting makes much and throws nothing away: looking for garbage would take a tenth of it
    gc.set_threshold(20_000)
    from ralph.ui.cli.main import enter  # click and the rest cost 60 ms

    sys.exit(enter(sys.argv[1:]))


if __name__ == "__main__":
    main()
