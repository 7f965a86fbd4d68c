"""A page read back: its elements as a tree, and what may not be in it or is missing."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"br", "col", "hr", "input", "link", "meta"}
# What the page is made of; anything else came from a program.
ATTRIBUTES = {
    "aria-hidden", "aria-label", "aria-labelledby", "charset", "checked", "class", "content", "d", "data-lazy",
    "data-verdict", "height", "href", "http-equiv", "id", "lang", "name", "open", "preserveaspectratio", "role",
    "scope", "tabindex", "text-anchor", "type", "value", "viewbox", "width", "x", "y",
}  # fmt: skip


@dataclass
class Element:
    """One element; `content` are elements and text, in order."""

    tag: str
    attributes: dict[str, str | None]
    parent: Element | None = field(repr=False)
    content: list[Element | str] = field(default_factory=list, repr=False)

    @property
    def children(self):
        """The elements right in it."""
        return [each for each in self.content if isinstance(each, Element)]

    def walk(self):
        """Itself and everything in it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, tag, **attributes):
        """Everything in it with this tag and these attributes; `class_` is one of its classes."""
        one = attributes.pop("class_", None)
        return [
            each
            for each in self.walk()
            if each.tag == tag
            and (one is None or one in (each.attributes.get("class") or "").split())
            and all(
                each.attributes.get(name.replace("_", "-")) == value for name, value in attributes.items()
            )
        ]

    @property
    def raw(self):
        """All text in it, as it stands."""
        return "".join(each if isinstance(each, str) else each.raw for each in self.content)

    @property
    def text(self):
        """All text in it, elements apart, single-spaced."""
        return " ".join(
            " ".join(each if isinstance(each, str) else each.text for each in self.content).split()
        )


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("", {}, None)
        self.faults = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        self.faults += [f"{tag}: {name} twice" for name in set(names) if names.count(name) > 1]
        child = Element(tag, dict(attrs), self.at)
        self.at.content.append(child)
        if tag not in VOID:
            self.at = child

    def handle_endtag(self, tag):
        if self.at.tag != tag:
            self.faults.append(f"</{tag}> closes <{self.at.tag}>")
        if self.at.parent is not None:
            self.at = self.at.parent

    def handle_data(self, data):
        self.at.content.append(data)

    def handle_comment(self, data):
        self.faults.append(f"comment: {data[:40]}")

    def handle_pi(self, data):
        self.faults.append(f"processing instruction: {data[:40]}")

    def unknown_decl(self, data):
        self.faults.append(f"declaration: {data[:40]}")


def read_page(text):
    """The tree, and faults of nesting."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    left = [] if reader.at is reader.root else [f"<{reader.at.tag}> is not closed"]
    return reader.root, reader.faults + left


def find_faults(text):
    """Everything that is wrong with a page, in words."""
    root, faults = read_page(text)
    elements = list(root.walk())[1:]
    return [
        *faults,
        *_ids(elements),
        *_attributes(elements),
        *_names(elements),
        *_order(elements),
        *_policy(root),
    ]


def _ids(elements):
    ids = [each.attributes["id"] for each in elements if "id" in each.attributes]
    yield from (f"id {each} is there {ids.count(each)} times" for each in set(ids) if ids.count(each) > 1)
    for each in elements:
        if (target := each.attributes.get("href")) is not None and target[1:] not in ids:
            yield f"{each.tag} leads to {target}, which is not there"
        for name in (each.attributes.get("aria-labelledby") or "").split():
            if name not in ids:
                yield f"{each.tag} is labelled by {name}, which is not there"


def _attributes(elements):
    for each in elements:
        yield from (f"{each.tag} has {name}" for name in each.attributes if name not in ATTRIBUTES)
        if not (each.attributes.get("href") or "#").startswith("#"):
            yield f"{each.tag} leads out of the page: {each.attributes['href']}"
        if each.tag in {
            "img",
            "iframe",
            "object",
            "embed",
            "base",
            "form",
            "link",
            "audio",
            "video",
            "image",
        }:
            yield f"there is a <{each.tag}>"


def _names(elements):
    for each in elements:
        hidden = each.attributes.get("aria-hidden") == "true"
        named = each.attributes.get("aria-label") or each.attributes.get("aria-labelledby")
        if each.tag == "svg" and not hidden and not (each.attributes.get("role") == "img" and named):
            yield "a picture without a text alternative"
        if each.tag in {"a", "summary", "th", "label", "h1", "h2", "h3", "caption"} and not each.text:
            yield f"<{each.tag}> says nothing"
        if each.tag == "th" and each.attributes.get("scope") not in {"row", "col"}:
            yield f"th {each.text} has no scope"
        if each.tag == "input" and each.parent.tag != "label":
            yield "a control without a label"
        if "tabindex" in each.attributes and each.attributes["tabindex"] != "0":
            yield f"{each.tag} is at {each.attributes['tabindex']} in the order of tabs"
        if each.tag == "section" and not named:
            yield "a section without a name"
        if each.tag == "details" and [one.tag for one in each.children][:1] != ["summary"]:
            yield "details without a summary"


def _order(elements):
    levels = [int(each.tag[1]) for each in elements if re.fullmatch(r"h[1-6]", each.tag)]
    if levels.count(1) != 1 or levels[:1] != [1]:
        yield f"{levels.count(1)} main headings"
    yield from (f"h{b} after h{a}" for a, b in pairwise(levels) if b > a + 1)
    for tag, parent in (("html", ""), ("title", "head"), ("header", "body"), ("main", "body")):
        if sum(each.tag == tag and each.parent.tag == parent for each in elements) != 1:
            yield f"not one <{tag}>"
    if not any(each.tag == "html" and each.attributes.get("lang") for each in elements):
        yield "no language"


def _policy(root):
    policies = root.find("meta", http_equiv="Content-Security-Policy")
    said = policies[0].attributes["content"] if policies else ""
    if not said.startswith("default-src 'none'; "):
        yield f"policy: {said}"
    for tag in ("style", "script"):
        for each in root.find(tag):
            digest = base64.b64encode(hashlib.sha256(each.raw.encode()).digest()).decode()
            if f"{tag}-src 'sha256-{digest}'" not in said:
                yield f"a {tag} that the policy does not know"
