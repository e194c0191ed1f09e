"""Runs the tests with the copies in vendor/: python run_tests.py"""

import site
import sys

site.addsitedir("vendor")

import pytest

sys.exit(pytest.main(["-q", "tests"]))
