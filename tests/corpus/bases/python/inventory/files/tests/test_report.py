from helpers import same_as_golden


def test_report(shelf, tmp_path):
    written = tmp_path / "report.txt"
    written.write_text(shelf.report())
    assert same_as_golden(written, "report.txt")
