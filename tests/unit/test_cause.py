"""The line that names the error, whatever comes after it."""

from __future__ import annotations

import pytest

from ralph.reading.cause import cause

NODE = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module './lib'
Require stack:
- /srv/a.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND'
}

Node.js v20.20.2
"""
NPM = """\
npm warn Unknown user config "x".
npm error code EUSAGE
npm error
npm error The `npm ci` command can only install with an existing package-lock.json
npm error A complete log of this run can be found in: /home/me/.npm/_logs/debug-0.log
"""
NPM_SAID = (
    "npm error code EUSAGE The `npm ci` command can only install with an existing package-lock.json"
)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (NODE, "Error: Cannot find module './lib'"),
        (NPM, NPM_SAID),
        ('Traceback (most recent call last):\n  File "a"\nKeyError: 3\n', "KeyError: 3"),
        ("panic: no key\n\ngoroutine 1:\nmain.main()\n\t/x.go:4\nexit status 2", "panic: no key"),
        ("it panicked at a.rs:2:\nno key\n  0: std\nnote: y", "it panicked at a.rs:2: no key"),
        ("fatal: not a git repository", "fatal: not a git repository"),
        ("Error: once more\nI give up: no credit", "Error: once more … I give up: no credit"),
        ("Error: of something else\n" + "line\n" * 12 + "no credit", "no credit"),
        ("one\n  two", "two"),
        ("\x1b[31mError: red\x1b[0m\r\n", "Error: red"),
        (" \n", ""),
    ],
)  # fmt: skip
def test_what_went_wrong_is_the_error_and_not_its_trail(output: str, said: str) -> None:
    assert cause(output) == said
