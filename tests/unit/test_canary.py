"""A canary is called like its neighbour, so that the same pattern finds it."""

from __future__ import annotations

import pytest

from ralph.proof.canary import named


@pytest.mark.parametrize(
    ("neighbour", "expected"),
    [
        ("test_app.py", "test_canary_0a.py"),
        ("app_test.py", "canary_0a_test.py"),
        ("theme_tests.py", "canary_0a_tests.py"),
        ("tests.py", "test_canary_0a.py"),
        ("checks.py", "checks_canary_0a.py"),
        ("app.test.js", "canary-0a.test.js"),
        ("app-test.ts", "canary-0a-test.ts"),
        ("app_spec.mjs", "canary-0a_spec.mjs"),
        ("test-app.js", "test-app-0a.js"),
        ("receiver.js", "receiver-0a.js"),
    ],
)
def test_named_like_its_neighbour(neighbour: str, expected: str) -> None:
    assert named(neighbour, "0a") == expected
