"""Code and documents say the same: errors, options, fields, layout."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import tomllib
import typing
from pathlib import Path

import jsonschema
import pytest

from pytest_lockin import cli, plugin
from pytest_lockin.model.agreement import Agreement, Category, Difference, Relaxation
from pytest_lockin.model.report import FORMAT, Fidelity, Gate, Report, TaskReport, VerdictKind
from pytest_lockin.references.load import load_panel
from pytest_lockin.reports.jsonfile import report_to_json
from pytest_lockin.settings import DEFAULT_FAIL_ON, ENGINES, GATED, MECHANISMS, Settings

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "pytest_lockin"
# Written by people who are not asked what the code says: decisions, and pages with measurements.
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "decisions")


def read(name):
    return (DOCS / name).read_text(encoding="utf-8")


def headings(text):
    return re.findall(r"^### `?(.+?)`?$", text, re.MULTILINE)


def trees():
    for path in PACKAGE.rglob("*.py"):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


# Messages


def find_slugs():
    """Every slug a user can meet: class attributes of errors, and `slug=` of findings and failures."""
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield from ((path, value) for value in _class_slugs(node))
            elif isinstance(node, ast.Call):
                yield from ((path, each.value.value) for each in node.keywords if _is_slug(each))


def _class_slugs(node):
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            yield from (
                statement.value.value for each in statement.targets if getattr(each, "id", "") == "slug"
            )


def _is_slug(keyword):
    return keyword.arg == "slug" and isinstance(keyword.value, ast.Constant)


SLUGS = {slug: path for path, slug in find_slugs()}


def test_slugs_are_found_in_errors_findings_and_failures():
    assert {"bad-setting", "entry-point", "pandas-3", "suite-did-not-start"} <= set(SLUGS)


def test_every_error_class_has_a_slug_of_its_own():
    errors = ast.parse((PACKAGE / "errors.py").read_text(encoding="utf-8"))
    classes = [node for node in errors.body if isinstance(node, ast.ClassDef)]
    own = [next(_class_slugs(node), None) for node in classes]
    assert None not in own
    assert len(set(own)) == len(classes)


def test_every_slug_has_an_entry_and_every_entry_a_slug():
    entries = headings(read("messages.md"))
    assert sorted(entries) == sorted(SLUGS)


@pytest.mark.parametrize("slug", sorted(SLUGS))
def test_an_entry_shows_the_message_and_says_what_to_do(slug):
    entry = read("messages.md").partition(f"### {slug}\n")[2]
    entry = re.split(r"^##", entry, maxsplit=1, flags=re.MULTILINE)[0]
    if slug in ("lockin-error", "java"):
        return
    assert "**Cure:**" in entry
    assert re.search(r"^    \S", entry, re.MULTILINE), "an example of the message"


# Options


class FakeParser:
    """Takes what a plugin adds, as pytest's parser does."""

    def __init__(self):
        self.options = {}
        self.ini = {}

    def getgroup(self, *_):
        return self

    def addoption(self, name, **details):
        self.options[name] = details

    def addini(self, name, text, **details):
        self.ini[name] = details


@pytest.fixture
def added():
    parser = FakeParser()
    plugin.pytest_addoption(parser)
    return parser


def sections():
    """The sections of the options page that are about one option or key: name -> text."""
    text = read("reference/options.md")
    parts = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    found = {}
    for part in parts:
        title, _, body = part.partition("\n")
        found[title.strip("`")] = re.split(r"^## ", body, maxsplit=1, flags=re.MULTILINE)[0]
    return found


def test_every_option_has_a_section_with_its_metavar(added):
    titles = [
        f"{name} {details['metavar']}" if "metavar" in details else name
        for name, details in added.options.items()
    ]
    assert [title for title in sections() if title.startswith("--")] == sorted(
        titles, key=list(sections()).index
    )


def test_every_ini_key_is_named_in_the_section_of_its_option_or_in_one_of_its_own(added):
    by_option = {
        title.split()[0].removeprefix("--").replace("-", "_"): text for title, text in sections().items()
    }
    for key in added.ini:
        assert key in by_option, key
        assert f"`{key}`" in by_option[key] or key in sections()
    # These are for whoever starts the run to say: a settings file is the judged change's own.
    assert set(by_option) == set(added.ini) | {"lockin_policy", "lockin_lock"}


def test_every_section_tells_the_default_and_shows_an_example():
    for title, text in sections().items():
        assert "Default:" in text, title
        assert re.search(r"^    \S", text, re.MULTILINE), title


def test_examples_name_only_options_and_keys_that_exist(added):
    for page in [*PAGES, ROOT / "README.md"]:
        text = page.read_text(encoding="utf-8")
        for option in re.findall(r"--lockin[a-z-]*", text):
            assert option in added.options, f"{page.name}: {option}"
        for key in re.findall(r"\blockin_[a-z_]+\b", text):
            known = key in added.ini or key.startswith(("lockin_kept_out",))
            assert known, f"{page.name}: {key}"


def test_kinds_engines_and_defaults_are_those_of_the_settings():
    options = sections()
    fail_on = options["--lockin-fail-on WHAT"]
    assert re.findall(r"^\| `(\w+)` \|", fail_on, re.MULTILINE) == sorted(
        GATED, key=lambda kind: fail_on.index(f"| `{kind}` |")
    )
    assert f"Default: `{DEFAULT_FAIL_ON[0]}`" in fail_on
    engines = re.findall(r"^\| `([\w:/]+)` \|", options["--lockin-engine NAME"], re.MULTILINE)
    assert engines == [*ENGINES, "sc://host:port"]
    assert f"Default: {Settings().timeout:.0f}." in options["--lockin-timeout SECONDS"]


def test_the_command_line_help_names_the_same_kinds(added):
    text = added.options["--lockin-fail-on"]["help"]
    assert set(re.findall(r"[a-z]+_[a-z]+|flaky|partial|unfaithful|unconfirmed", text)) >= (
        set(GATED) - {"unverified", *MECHANISMS}
    )
    assert "a mechanism" in text


# Commands


def test_every_command_has_an_entry_and_every_entry_a_command():
    subparsers = next(action for action in cli._parser()._actions if isinstance(action.choices, dict))
    assert sorted(headings(read("reference/commands.md"))) == sorted(
        f"lockin {name}" for name in subparsers.choices
    )


# The JSON report


@pytest.mark.parametrize("kind", [TaskReport, Agreement, Fidelity, Gate], ids=lambda kind: kind.__name__)
def test_every_field_of_the_report_is_explained(kind):
    page = read("reference/json.md")
    missing = [field.name for field in dataclasses.fields(kind) if f"`{field.name}`" not in page]
    assert missing == []


def test_every_field_of_the_document_is_explained():
    page = read("reference/json.md")
    assert [name for name in report_to_json(Report()) if f"| `{name}`" not in page] == []


def test_every_kind_of_difference_is_explained_with_its_fields():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", read("reference/json.md"), re.MULTILINE))
    for kind in typing.get_args(Difference):
        for field in dataclasses.fields(kind):
            assert f"`{field.name}`" in rows[kind.__name__], f"{kind.__name__}.{field.name}"


def test_every_word_of_the_report_is_explained():
    page = read("reference/json.md")
    for word in (*VerdictKind, *Category, *Relaxation):
        assert f"`{word}`" in page, word


def test_the_versions_end_with_the_current_one():
    versions = re.findall(r"^\| (\d+) \|", read("reference/json.md"), re.MULTILINE)
    assert versions[-1] == str(FORMAT)


def test_the_example_fits_the_schema():
    example = json.loads(re.search(r"```json\n(.*?)```", read("reference/json.md"), re.DOTALL).group(1))
    schema = json.loads(read("schemas/report.schema.json"))
    jsonschema.Draft202012Validator(schema).validate(example)


# References


def test_the_settings_shown_are_taken_and_are_the_defaults(tmp_path):
    shown = re.search(r"```toml\n(.*?)```", read("how-to/references.md"), re.DOTALL).group(1)
    defaults, _, tables = shown.partition("[compare.tolerance]")
    (tmp_path / "q04").mkdir()
    (tmp_path / "q04" / "reference.sql").write_text("SELECT 1")
    plain = load_panel(tmp_path, "q04")
    (tmp_path / "q04" / "reference.toml").write_text(defaults)
    assert load_panel(tmp_path, "q04") == plain
    (tmp_path / "q04" / "reference.toml").write_text(shown)
    assert len(load_panel(tmp_path, "q04").rules.per_column) == len(tomllib.loads(f"[t]{tables}")["t"])


def test_every_setting_a_refusal_names_is_shown(tmp_path):
    source = (PACKAGE / "references" / "load.py").read_text(encoding="utf-8")
    shapes = [
        node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and "Shape" in node.name
    ]
    keys = {each.target.id for node in shapes for each in node.body if isinstance(each, ast.AnnAssign)}
    shown = re.search(r"```toml\n(.*?)```", read("how-to/references.md"), re.DOTALL).group(1)
    assert {"bags", "data", "relative"} <= keys
    assert [key for key in keys if not re.search(rf"\b{key}\b", shown)] == []


def test_every_reason_of_unfitness_is_told():
    source = (PACKAGE / "references" / "vet.py").read_text(encoding="utf-8")
    page = re.sub(r"\*name\*", "", read("how-to/references.md"))
    reasons = [
        "returns no rows on this data",
        "does not agree with itself",
        "depends on time or chance",
        "is unstable: its result changes",
        "has no tables to run on",
        "the panel disagrees",
    ]
    for reason in reasons:
        assert reason in source, reason
        assert reason in page, reason


# Architecture


def modules():
    names = {path.stem for path in PACKAGE.glob("*.py")} | {
        path.parent.name for path in PACKAGE.glob("*/__init__.py")
    }
    return names - {"__init__", PACKAGE.name}


def test_the_layout_names_every_module():
    layout = re.search(r"```\npytest_lockin/\n(.*?)```", read("architecture.md"), re.DOTALL).group(1)
    named = set(re.findall(r"^  (\w+)(?:\.py|/)", layout, re.MULTILINE))
    assert modules() - named == set()


def test_the_layout_goes_down_as_imports_do():
    layout = re.search(r"```\npytest_lockin/\n(.*?)```", read("architecture.md"), re.DOTALL).group(1)
    order = re.findall(r"^  (\w+)(?:\.py|/)", layout, re.MULTILINE)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    level = {name.strip(): index for index, layer in enumerate(layers) for name in layer.split("|")}
    levels = [level[name] for name in order if name in level]
    assert levels == sorted(levels)


def test_files_that_pages_name_exist():
    pattern = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|md|json|yaml))`")
    for page in PAGES:
        for name in pattern.findall(page.read_text(encoding="utf-8")):
            # Folders of the reader's own are examples; what the tutorial writes has a test of its own.
            places = [ROOT / name, PACKAGE / name, DOCS / name]
            theirs = name.startswith(("refs/", "my_")) or page.name == "tutorial.md"
            assert theirs or any(place.exists() for place in places), f"{page.name}: {name}"


def test_links_between_pages_lead_to_headings():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]*#[^)\s]+)\)", page.read_text(encoding="utf-8")):
            file, _, anchor = target.partition("#")
            if file.startswith("http"):
                continue
            linked = (page.parent / file).resolve() if file else page
            titles = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {_anchor(title) for title in titles}, f"{page.name}: {target}"


def _anchor(title):
    plain = re.sub(r"[^\w\s-]", "", title).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)
