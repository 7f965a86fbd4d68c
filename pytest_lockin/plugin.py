"""The pytest11 entry: options, ini keys, hooks. Imports nothing heavy until lockin is asked for.

Every pytest run on a user's machine imports this module; it imports pytest only. `--lockin` or
`--lockin-reference` (or their ini keys) bring in `pytest_lockin.session`, which does the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_lockin.session import LockinSession  # noqa: F401 - the stash key's type

_SESSION = pytest.StashKey["LockinSession"]()
# Those of `reports.formats`, which is not imported before lockin is asked for.
_REPORTS = (
    ("sarif", "findings at their lines as SARIF 2.1.0, for code scanning"),
    ("elements", "trials as a mutation testing report that the viewers of mutation-testing-elements open"),
    ("markdown", "a summary for a comment on a pull request"),
    ("html", "a page to read: verdicts, witnesses, and the program with what its tests let pass"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the ini keys of the same names."""
    group = parser.getgroup("lockin", "lockin: is AI-written DataFrame code right?")
    group.addoption("--lockin", action="store_true", default=False, help="examine the generated suites")
    group.addoption(
        "--lockin-reference",
        metavar="DIR",
        help="folder of hidden references, one folder per task; implies --lockin",
    )
    group.addoption(
        "--lockin-engine",
        metavar="NAME",
        help="auto (Sail looks, Spark judges when Java is there), sail, spark, or sc://host:port",
    )
    group.addoption("--lockin-json", metavar="FILE", help="write the report as JSON")
    group.addoption(
        "--lockin-fail-on",
        metavar="WHAT",
        action="append",
        help="kinds that fail the gate: false_pass (default), true_fail, false_alarm, partial, flaky, "
        "unfaithful, unconfirmed, not_isolated, a mechanism, or none; several with commas",
    )
    group.addoption(
        "--lockin-allow",
        metavar="WHAT[=MOST][:reason]",
        action="append",
        help="let the gate pass although WHAT was found, for example unverified:no-data-yet",
    )
    group.addoption(
        "--lockin-min-obligations",
        metavar="[SOURCE=]PERCENT",
        action="append",
        help="fail the gate where a suite's tests check a smaller share of its obligations (of one source)",
    )
    group.addoption(
        "--lockin-baseline", metavar="FILE", help="findings that were there before and do not fail the gate"
    )
    group.addoption(
        "--lockin-workers", metavar="N", help="suites examined at the same time (default: the cores)"
    )
    group.addoption(
        "--lockin-timeout",
        metavar="SECONDS",
        help="least time one step of a run of ours may take before its worker is killed (default: 120)",
    )
    group.addoption(
        "--lockin-sandbox",
        metavar="NAME",
        help="what keeps programs apart: auto (what this machine has; default), bwrap or none",
    )
    group.addoption(
        "--lockin-fixtures",
        metavar="WHICH",
        help="small tables the candidate must be right on too: off, frozen (default) or all",
    )
    group.addoption(
        "--lockin-policy",
        metavar="REV|DIR",
        help="what settings, waivers, task files and locks must be like: a base revision, or a folder",
    )
    group.addoption("--lockin-lock", metavar="FILE", help="write down by hash what the run rests on")
    group.addoption(
        "--lockin-github",
        action="store_true",
        help="annotate the change and write the step's summary (by itself where GITHUB_ACTIONS=true)",
    )
    for name, text in _REPORTS:
        group.addoption(f"--lockin-{name}", metavar="FILE", help=f"write {text}")
    _add_trial_options(group)
    parser.addini("lockin", "examine the generated suites", type="bool", default=False)
    for name in ("survivors", "matrix", "exhaustive"):
        parser.addini(f"lockin_{name}", f"as --lockin-{name}", type="bool", default=False)
    for name, text in (
        ("lockin_reference", "as --lockin-reference, from the root folder"),
        ("lockin_engine", "as --lockin-engine"),
        ("lockin_json", "as --lockin-json, from the root folder"),
        *((f"lockin_{name}", f"as --lockin-{name}, from the root folder") for name, _ in _REPORTS),
        ("lockin_github", "as --lockin-github: on, or off where GITHUB_ACTIONS=true"),
        ("lockin_workers", "as --lockin-workers"),
        ("lockin_sandbox", "as --lockin-sandbox"),
        ("lockin_fixtures", "as --lockin-fixtures"),
        ("lockin_fixtures_dir", "folder of frozen fixtures, from the root folder (default: fixtures)"),
        ("lockin_timeout", "as --lockin-timeout"),
        ("lockin_trials", "as --lockin-trials"),
        ("lockin_since", "as --lockin-since"),
        ("lockin_budget", "as --lockin-budget"),
        ("lockin_confirm", "as --lockin-confirm"),
        ("lockin_min_kill", "as --lockin-min-kill"),
        ("lockin_baseline", "as --lockin-baseline, from the root folder"),
    ):
        parser.addini(name, text, default="")
    for name, text in (
        ("lockin_fail_on", "as --lockin-fail-on, one kind a line"),
        ("lockin_allow", "as --lockin-allow, one a line"),
        ("lockin_min_obligations", "as --lockin-min-obligations, one a line"),
        ("lockin_suites", "file names or paths of generated suites (default: test_solution.py)"),
        ("lockin_entry_points", "lines `path pattern = module:function`"),
        ("lockin_tasks", "lines `path pattern = task id`"),
        ("lockin_expose", "paths from the root folder, and env:NAME, that programs may see in the sandbox"),
    ):
        parser.addini(name, text, type="linelist", default=[])


def _add_trial_options(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--lockin-trials",
        metavar="on|off",
        help="try alternatives of every suite that passes: which other programs pass? (default: on)",
    )
    group.addoption(
        "--lockin-budget",
        metavar="SECONDS",
        help="time for one suite's trials, or none; what is left over is reported as not run (default: 60)",
    )
    group.addoption(
        "--lockin-min-kill",
        metavar="PERCENT",
        help="fail the gate where a suite's tests notice a smaller share of its alternatives",
    )
    group.addoption(
        "--lockin-confirm",
        metavar="WHAT",
        help="what classic Spark confirms: survivors (and a sample of kills; default), all, or none",
    )
    group.addoption(
        "--lockin-since", metavar="REV", help="examine only what a change since a git revision touches"
    )
    group.addoption(
        "--lockin-survivors", action="store_true", help="only alternatives that survived the last run"
    )
    group.addoption(
        "--lockin-matrix",
        action="store_true",
        help="run every case on every alternative, and on wrecked outputs: what is each case worth?",
    )
    group.addoption(
        "--lockin-exhaustive",
        action="store_true",
        help="take no shortcut in trials (a check of lockin itself)",
    )


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Let other plugins add engines, reporters and lines of the report."""
    from pytest_lockin import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def is_asked_for(config: pytest.Config) -> bool:
    """Whether this run examines suites."""
    option = config.known_args_namespace
    asked = option.lockin or option.lockin_reference
    return bool(asked or config.getini("lockin") or config.getini("lockin_reference"))


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any conftest is loaded: make the session, so that suites' conftests stay out of this process."""
    if not is_asked_for(early_config):
        return
    from pytest_lockin.session import make_session

    early_config.stash[_SESSION] = make_session(early_config)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and the session when there is one."""
    config.addinivalue_line(
        "markers", "lockin(obligation): the obligation of the task that this case is meant to check"
    )
    session = config.stash.get(_SESSION, None)
    if session is not None:
        session.configure(config)
        config.pluginmanager.register(session, "lockin-session")
