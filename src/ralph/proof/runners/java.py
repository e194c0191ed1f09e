"""Maven and Gradle, which write JUnit's XML anyway. It names classes, not files."""

from __future__ import annotations

import re
from typing import ClassVar

from ralph.proof.runners.formats import junit
from ralph.proof.runners.runner import WORD, TestRunner


class Maven(TestRunner):
    name: ClassVar = "maven"
    also: ClassVar = (junit.RUNNER,)
    started: ClassVar = re.compile(WORD + r"mvnw?(?![\w.-])")
    junit_files: ClassVar = (
        "**/target/surefire-reports/TEST-*.xml",
        "**/target/failsafe-reports/TEST-*.xml",
    )


class Gradle(TestRunner):
    name: ClassVar = "gradle"
    also: ClassVar = (junit.RUNNER,)
    started: ClassVar = re.compile(WORD + r"gradlew?(?![\w.-])")
    junit_files: ClassVar = ("**/build/test-results/*/TEST-*.xml",)
