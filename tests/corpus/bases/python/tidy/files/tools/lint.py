"""Checks the style of this project: python tools/lint.py"""

import ast
import json
import sys
from pathlib import Path

RULES = json.loads(Path("lint.json").read_text())


def complaints(path):
    text = path.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > RULES["longest_line"] and "lint: off" not in line:
            yield f"{path}:{number}: line is too long"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and len(node.args.args) > RULES["most_arguments"]:
            yield f"{path}:{node.lineno}: too many arguments"


found = [text for path in sorted(Path("src").rglob("*.py")) for text in complaints(path)]
print("\n".join(found) or "no complaints")
sys.exit(bool(found))
