"""Debian's Chromium, headless, with a profile of its own that is thrown away."""

from __future__ import annotations

import shutil

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,1400",
)


def find_trouble():
    """Why no browser can be started; "" where one can."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(missing)} not installed" if missing else ""


def start_chromium(profile):
    """A browser; `profile` is a folder that is not there yet. Whoever starts it calls `quit`."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # Both paths are given, so that selenium looks for no driver to download.
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def paint_in(browser, scheme):
    """Prefer light or dark from here on."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
