"""The report as renderers see it: the same from a run and from its file."""

import pytest
from sample_reports import every_kind

from pytest_lockin.errors import ReportFileError
from pytest_lockin.model.report import Report
from pytest_lockin.reports.document import make_document, read_document
from pytest_lockin.reports.jsonfile import write_json


@pytest.mark.parametrize("report", [Report(), every_kind()], ids=["empty", "full"])
def test_a_file_reads_back_as_the_run_it_came_from(report, tmp_path):
    write_json(report, tmp_path / "out.json")
    assert read_document(tmp_path / "out.json") == make_document(report)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, "No such file"),
        ("{", "not JSON"),
        ("\xff", "not JSON"),
        ("[]", "no report of pytest-lockin"),
        ('{"format": 99}', "format 99"),
        ('{"format": 1, "tasks": 3}', "Expected `array`"),
    ],
)
def test_what_is_no_report_is_one_clear_message(text, found, tmp_path):
    path = tmp_path / "out.json"
    if text is not None:
        path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ReportFileError, match=found):
        read_document(path)


def test_every_text_survives(tmp_path):
    report = Report(notes=("\udcff <b> \u2028 \x00",))
    write_json(report, tmp_path / "out.json")
    assert read_document(tmp_path / "out.json").notes == report.notes
