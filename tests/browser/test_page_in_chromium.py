"""The page in a real browser: it opens from disk, asks for nothing, and needs neither mouse nor eyes nor script."""

import contextlib
from pathlib import Path

import pytest
from chromium import paint_in

LOOKING = (Path(__file__).parent / "looking.js").read_text()
# A link of each kind that must be named for those who listen; what carries no name is drawn for the eye alone.
NAMED = {"link", "button", "radio", "radiogroup", "DisclosureTriangle", "image", "region", "group", "heading", "columnheader", "rowheader"}  # fmt: skip
MOST_TABS = 120


def ask(browser, script, *arguments):
    return browser.execute_script(f"{LOOKING}\n{script}", *arguments)


def keys(browser, *pressed):
    from selenium.webdriver.common.action_chains import ActionChains

    chain = ActionChains(browser, duration=0)
    for key in pressed:
        chain.send_keys(key)
    chain.perform()
    settle(browser)


def click(browser, element):
    element.click()
    settle(browser)


def settle(browser):
    """Wait until the page has answered: what follows a click (`toggle`, focus, scrolling) comes a little later."""
    browser.execute_async_script(
        "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(arguments[0], 0)))"
    )


def soon(browser, script, *arguments, equals):
    """What the script gives, as soon as that is `equals`, else what it gives after ten seconds."""
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver.support.ui import WebDriverWait

    with contextlib.suppress(TimeoutException):
        WebDriverWait(browser, 10, poll_frequency=0.05).until(
            lambda _: ask(browser, script, *arguments) == equals
        )
    return ask(browser, script, *arguments)


def tab_to(browser, selector):
    """Press Tab until something that `selector` names has the focus; says how often."""
    from selenium.webdriver.common.keys import Keys

    for times in range(1, MOST_TABS):
        keys(browser, Keys.TAB)
        if browser.execute_script("return document.activeElement.matches(arguments[0])", selector):
            return times
    return pytest.fail(f"{selector} is not among the first {MOST_TABS} stops")


# From disk


def test_it_opens_from_disk_and_asks_for_nothing(browser, pages):
    browser.get(pages["rich"])
    assert browser.title == "lockin gate failed"
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert ask(browser, "return inView(document.querySelector('h1'))")


def test_nothing_that_a_program_says_runs(browser, pages):
    browser.get(pages["hostile"])
    ask(browser, "openAll()")
    assert browser.execute_script("return window.ran ?? null") is None
    assert browser.execute_script("return document.querySelectorAll('img, body script ~ *').length") == 0
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert "<img src=https://example.org/x" in browser.execute_script("return document.body.innerText")


def test_its_policy_refuses_what_is_not_its_own(chromium, pages):
    """Also what would get in past the escaping would not run, and could not send anything."""
    chromium.get(pages["rich"])
    chromium.get_log("browser")
    chromium.execute_script(
        """
        const script = document.createElement("script");
        script.textContent = "window.ran = 1";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<img src='https://example.org/x' onerror='window.ran = 1'>");
        """
    )
    complaints = [each["message"] for each in chromium.get_log("browser")]
    assert chromium.execute_script("return window.ran ?? null") is None
    assert any("script-src" in each for each in complaints)
    assert any("img-src" in each for each in complaints)


def test_what_is_folded_is_made_when_it_is_opened(browser, pages):
    browser.get(pages["large"])
    count = "return document.querySelectorAll('*').length"
    first = browser.execute_script(count)
    [part] = browser.execute_script("return [document.getElementById('q05:program')]")
    assert ask(browser, "return arguments[0].querySelectorAll('.alt').length", part) == 0
    click(browser, part.find_element("css selector", "summary"))
    made = "return arguments[0].querySelectorAll('.alt').length"
    assert soon(browser, made, part, equals=100) == 100
    assert browser.execute_script(count) > first + 2000


def test_it_works_without_script(chromium, pages):
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        chromium.get(pages["rich"])
        [program] = chromium.find_elements("css selector", "[id='v-true_pass:program']")
        # With scripts, `noscript` holds no elements.
        assert not program.find_element("css selector", "noscript .listing").is_displayed()
        program.find_element("css selector", "summary").click()
        assert program.find_element("css selector", ".listing").is_displayed()
        [alternative] = chromium.find_elements("css selector", "[id='v-true_pass:a:a2']")
        alternative.find_element("css selector", "summary").click()
        assert alternative.find_element("css selector", ".diff").is_displayed()
        chromium.find_element("css selector", "label:has([value='true_pass'])").click()
        shown = [
            each
            for each in chromium.find_elements("css selector", ".overview tbody tr")
            if each.is_displayed()
        ]
        assert len(shown) == 1
    finally:
        chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


# With the keyboard alone


def test_the_keyboard_opens_a_diff_and_reaches_a_witness(browser, pages):
    from selenium.webdriver.common.keys import Keys

    browser.get(pages["rich"])
    tab_to(browser, ".witness .scrolling")
    assert ask(browser, "return inView(document.activeElement)")
    tab_to(browser, ".alt > summary")
    alternative = "document.activeElement.parentElement"
    assert not ask(browser, f"return {alternative}.querySelector('.diff').checkVisibility()")
    keys(browser, Keys.ENTER)
    assert soon(browser, f"return inView({alternative}.querySelector('.diff'))", equals=True)
    keys(browser, Keys.ENTER)
    assert not soon(browser, f"return {alternative}.querySelector('.diff').checkVisibility()", equals=False)


def test_the_first_stop_leads_past_the_top(browser, pages):
    from selenium.webdriver.common.keys import Keys

    browser.get(pages["rich"])
    assert tab_to(browser, ".skip") == 1
    keys(browser, Keys.ENTER)
    assert browser.execute_script("return decodeURIComponent(location.hash)") == "#:suites"


def test_arrows_choose_a_verdict(browser, pages):
    from selenium.webdriver.common.keys import Keys

    browser.get(pages["rich"])
    shown = """
      return [...document.querySelectorAll("[data-verdict]")].filter((each) => each.checkVisibility())
        .map((each) => each.dataset.verdict)
    """
    assert len(ask(browser, shown)) == 14
    tab_to(browser, "input[name=verdict]")
    keys(browser, Keys.ARROW_RIGHT)
    assert soon(browser, shown, equals=["false_pass"] * 4) == ["false_pass"] * 4
    keys(browser, Keys.ARROW_RIGHT)
    assert soon(browser, shown, equals=["false_alarm"] * 2) == ["false_alarm"] * 2
    assert (
        browser.find_element("css selector", "[role=status]").get_attribute("textContent")
        == "1 of 7 suites shown"
    )
    assert (
        ask(browser, "return getComputedStyle(document.activeElement.parentElement).outlineStyle") == "solid"
    )


# Links


@pytest.mark.parametrize(
    ("place", "within"),
    [
        ("v-true_pass-O3", "v-true_pass:obligations"),
        ("v-true_pass:a:a2", "v-true_pass:program"),
        ("v-true_pass", "v-true_pass"),
    ],
)
def test_a_link_opens_what_it_leads_to(browser, pages, place, within):
    browser.get(f"{pages['rich']}#{place}")
    look = "return inView(document.getElementById(arguments[0]))"
    assert soon(browser, look, place, equals=True)
    assert soon(browser, look, within, equals=True)


def test_a_link_to_a_suite_that_is_not_shown_shows_all(browser, pages):
    browser.get(pages["rich"])
    click(browser, browser.find_element("css selector", "label:has([value='true_pass'])"))
    browser.execute_script("location.hash = '#q04-O3'")
    assert soon(browser, "return inView(document.getElementById('q04-O3'))", equals=True)
    assert ask(browser, "return document.querySelector('[value=all]').checked")


# For those who see little, or nothing


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(browser, pages, pictures, scheme):
    paint_in(browser, scheme)
    browser.get(pages["rich"])
    browser.save_screenshot(str(pictures / f"report-{scheme}.png"))
    ask(browser, "openAll()")
    assert len(ask(browser, "return textElements()")) > 300
    assert ask(browser, "return dimTexts(4.5)") == []
    body = ask(browser, "return luminance(background(document.body))")
    assert (body < 0.05) if scheme == "dark" else (body > 0.8)


def test_text_that_cannot_be_read_is_found(browser, pages):
    """The check above can fail."""
    browser.get(pages["rich"])
    browser.execute_script("document.querySelector('.lead').style.color = 'rgb(150, 150, 150)'")
    [dim] = ask(browser, "return dimTexts(4.5)")
    assert dim[1:3] == ["p", "lead"]


def test_everything_there_is_to_use_has_a_name(browser, pages):
    browser.get(pages["rich"])
    ask(browser, "openAll()")
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {}
    for node in nodes:
        if not node["ignored"]:
            roles.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    nameless = {role for role in NAMED - {"group"} if not all(each.strip() for each in roles.get(role, ()))}
    assert nameless == set()
    assert {"banner", "main", "radio", "region", "image", "rowheader", "DisclosureTriangle"} <= set(roles)
    assert "Show" in roles["group"]
    assert len(roles["main"]) == len(roles["banner"]) == 1


def test_what_scrolls_can_be_reached_by_the_keyboard(browser, pages):
    browser.get(pages["rich"])
    browser.set_window_size(500, 900)
    ask(browser, "openAll()")
    stuck = """
      return [...document.querySelectorAll("body *")].filter((each) =>
        each.scrollWidth > each.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(each).overflowX)
        && each.checkVisibility() && each.tabIndex < 0).map((each) => each.outerHTML.slice(0, 80))
    """
    assert ask(browser, stuck) == []


@pytest.mark.parametrize("width", [500, 1000, 1400])
def test_the_page_itself_does_not_scroll_sideways(browser, pages, pictures, width):
    browser.get(pages["rich"])
    browser.set_window_size(width, 1400)
    ask(browser, "openAll()")
    browser.save_screenshot(str(pictures / f"report-{width}.png"))
    assert (
        ask(browser, "return document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth")
        == 0
    )
