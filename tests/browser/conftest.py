import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Reports to show and the browser are of use to a measurement, too.
sys.path += [str(HERE), str(HERE.parent / "unit")]

import page_reports  # noqa: E402 - found by the line above
from chromium import find_trouble, paint_in, start_chromium  # noqa: E402

from pytest_lockin.reports.html import render_html  # noqa: E402


def pytest_collection_modifyitems(items):
    """Without a browser nothing here means anything; on CI that is a failure, not a reason to skip."""
    trouble = find_trouble()
    if not trouble or os.environ.get("CI"):
        return
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=trouble))


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Files of pages, by name."""
    folder = tmp_path_factory.mktemp("pages")
    documents = {
        "rich": page_reports.rich_document(),
        "hostile": page_reports.taint(page_reports.rich_document(), HOSTILE),
        "large": page_reports.large_document(6, 100),
    }
    for name, document in documents.items():
        (folder / f"{name}.html").write_text(render_html(document), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in documents}


# What would be seen if it ran: a script, a handler, a picture from the network.
HOSTILE = (
    "</script></noscript></style></title><script>window.ran = 1</script>"
    "<img src=https://example.org/x onerror='window.ran = 1'><svg onload='window.ran = 1'>\"'\x00\u202e\udcff"
)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    started = start_chromium(tmp_path_factory.mktemp("chromium") / "profile")
    yield started
    started.quit()


@pytest.fixture
def browser(chromium):
    """A browser on an empty page; it must have had nothing to complain of when the test is over."""
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    chromium.get("about:blank")
    chromium.set_window_size(1400, 1400)
    paint_in(chromium, "light")
    chromium.get_log("browser")
    yield chromium
    assert chromium.get_log("browser") == []


@pytest.fixture(scope="session")
def pictures(tmp_path_factory):
    """Where screenshots are kept: the folder that `LOCKIN_SCREENSHOTS` names, else pytest's own for this run."""
    named = os.environ.get("LOCKIN_SCREENSHOTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
