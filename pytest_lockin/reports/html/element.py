"""Elements of a page: what is put into one is escaped unless it is an element itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pytest_lockin.reports.html.escape import escape, escape_quoted

if TYPE_CHECKING:
    from collections.abc import Iterable


class Html(str):
    """Text that is markup already; only `element`, `join` and the page's own constants make it."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | None"
Attribute: TypeAlias = str | int | bool | None

_VOID = frozenset({"br", "col", "hr", "input", "link", "meta"})


def element(tag: str, /, *children: Child, **attributes: Attribute) -> Html:
    """One element; in attributes' names `_` stands for `-`, and one at the end is left out.

    >>> element("td", "a < b", class_="cell", hidden=True, title=None)
    '<td class="cell" hidden>a &lt; b</td>'
    """
    opening = f"<{tag}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    if tag in _VOID:
        return Html(opening)
    return Html(f"{opening}{join(children)}</{tag}>")


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape_quoted(str(value))}"'


def join(children: Iterable[Child]) -> Html:
    """Elements and text in a row."""
    return Html("".join(_child(each) for each in children))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Html):
        return child
    return escape(child) if isinstance(child, str) else join(child)


def fold(summary: Child, /, *content: Child, lazy: bool = False, **attributes: Attribute) -> Html:
    """Content below a line that opens it. A `lazy` one is not laid out before it is opened.

    To a browser that runs the page's script, the content of `noscript` is text: no element is made of it
    until the script does so. Without scripts it is there from the start, folded.
    """
    inside = element("noscript", *content) if lazy else content
    return element("details", element("summary", summary), inside, data_lazy=lazy, **attributes)


def unseen(text: str) -> Html:
    """Text for those who listen to the page."""
    return element("span", text, class_="unseen")


def link(target: str, /, *children: Child, **attributes: Attribute) -> Html:
    """A link to another place of the page."""
    return element("a", *children, href=f"#{target}", **attributes)


def scrolling(label: str, *content: Child) -> Html:
    """Something that may be wider than the page; the keyboard reaches it, too."""
    return element("div", *content, class_="scrolling", role="region", aria_label=label, tabindex=0)
