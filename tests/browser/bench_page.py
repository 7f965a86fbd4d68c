"""How large a page gets and how long it takes: `python tests/browser/bench_page.py [SUITES ALTERNATIVES]`.

Chromium's times are those of the page's own clock: from navigation until something is painted, and until the page
is loaded and its script has run. The yardstick is the same page with every folded part made at once.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent / "unit")]

from chromium import start_chromium  # noqa: E402 - found by the line above
from page_reports import large_document  # noqa: E402

from pytest_lockin.reports.html import render_html  # noqa: E402

_TIMES = """
const paint = performance.getEntriesByName("first-contentful-paint")[0];
const load = performance.getEntriesByType("navigation")[0];
return [paint.startTime, load.domInteractive, load.loadEventEnd, document.querySelectorAll("*").length];
"""
_REPEAT = 5


def say(line: str) -> None:
    """One line of the answer."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Print sizes and the medians of several openings."""
    suites, alternatives = (int(each) for each in (*sys.argv[1:], 30, 300)[:2])
    document = large_document(suites, alternatives)
    start = time.perf_counter()
    text = render_html(document)
    rendered = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        lazy, eager = Path(folder) / "lazy.html", Path(folder) / "eager.html"
        lazy.write_text(text, encoding="utf-8")
        eager.write_text(re.sub(r"(</?)noscript>", r"\1div>", text), encoding="utf-8")
        say(f"{suites} suites of {alternatives} alternatives: {lazy.stat().st_size / 1e6:.1f} MB")
        say(f"rendered in {rendered:.2f} s")
        browser = start_chromium(Path(folder) / "profile")
        try:
            _measure(browser, "everything at once", eager)
            _measure(browser, "as it is", lazy)
            say(f"unfolding a program of {alternatives}: {_unfold(browser) / 1000:.2f} s")
        finally:
            browser.quit()


def _measure(browser, name: str, path: Path) -> None:
    times = [_open(browser, path) for _ in range(_REPEAT)]
    paint, parsed, loaded, elements = (sorted(each)[_REPEAT // 2] for each in zip(*times, strict=True))
    say(
        f"{name}: painted {paint / 1000:.2f} s, parsed {parsed / 1000:.2f} s, loaded {loaded / 1000:.2f} s, "
        f"{elements} elements (medians of {_REPEAT})"
    )


def _open(browser, path: Path) -> list[float]:
    browser.get("about:blank")
    browser.get(path.as_uri())
    time.sleep(0.5)  # the paint is entered a little after it happened
    return browser.execute_script(_TIMES)


def _unfold(browser) -> float:
    return browser.execute_async_script(
        """
        const done = arguments[0], parts = document.querySelectorAll("details[id$=':program']:not([open])");
        const start = performance.now();
        parts[0].open = true;
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
        """
    )


if __name__ == "__main__":
    main()
