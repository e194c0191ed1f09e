import subprocess


def run(*words):
    done = subprocess.run(["make", "-n", *words], capture_output=True, text=True)
    return done.stdout.strip()


def test_targets():
    assert run("one", "NAME=report") == "python -m pytest -q tests -k report"
    assert run("test") == "python -m pytest -q tests"
