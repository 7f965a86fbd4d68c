"""pytest's configuration read into one frozen `Settings`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import SettingsError
from pytest_lockin.fixturegen.lock import LOCK
from pytest_lockin.reports.formats import FORMATS
from pytest_lockin.settings import (
    DEFAULT_SUITES,
    Settings,
    TrialOptions,
    check_confirm,
    check_engine,
    check_fixtures,
    check_reference,
    check_sandbox,
    parse_allow,
    parse_budget,
    parse_entry_point,
    parse_expose,
    parse_fail_on,
    parse_github,
    parse_min_kill,
    parse_min_obligations,
    parse_pairs,
    parse_switch,
    parse_timeout,
    parse_workers,
)

if TYPE_CHECKING:
    import pytest

    from pytest_lockin.model.suite import EntryPoint


def read_settings(config: pytest.Config) -> Settings:
    """Combine command line and ini keys; the command line wins.

    Raises:
        SettingsError: a value cannot be used.
    """
    option = config.known_args_namespace

    def given(name: str) -> str:
        return str(getattr(option, name) or config.getini(name) or "")

    def listed(name: str) -> list[str]:
        return list(getattr(option, name, None) or config.getini(name))

    reference = option.lockin_reference or _from_root(config, config.getini("lockin_reference"))
    engines = {name: dotted for each in config.hook.pytest_lockin_engines() for name, dotted in each.items()}
    return Settings(
        reference=_reference(config, reference) if reference else "",
        engine=check_engine(given("lockin_engine") or "auto", engines),
        engines=tuple(sorted(engines.items())),
        json_file=str(_file_named(config, "lockin_json") or ""),
        files=_report_files(config),
        fail_on=parse_fail_on(listed("lockin_fail_on")),
        allow=parse_allow(listed("lockin_allow")),
        suites=tuple(config.getini("lockin_suites")) or DEFAULT_SUITES,
        entry_points=_entry_points(config),
        tasks=parse_pairs(config.getini("lockin_tasks"), "lockin_tasks"),
        timeout=parse_timeout(given("lockin_timeout")),
        workers=parse_workers(given("lockin_workers"), os.cpu_count() or 2),
        sandbox=check_sandbox(given("lockin_sandbox") or "auto"),
        policy=option.lockin_policy or "",
        lock_file=str(Path(option.lockin_lock).absolute()) if option.lockin_lock else "",
        fixtures=check_fixtures(given("lockin_fixtures") or "frozen"),
        fixtures_folder=_fixtures_folder(config),
        min_obligations=parse_min_obligations(listed("lockin_min_obligations")),
        baseline=_file_named(config, "lockin_baseline"),
        github=parse_github("on" if option.lockin_github else config.getini("lockin_github"), os.environ),
        expose=parse_expose(config.getini("lockin_expose"), config.rootpath),
        trials=TrialOptions(
            run=parse_switch(given("lockin_trials"), "--lockin-trials"),
            exhaustive=bool(option.lockin_exhaustive or config.getini("lockin_exhaustive")),
            matrix=bool(option.lockin_matrix or config.getini("lockin_matrix")),
            budget=parse_budget(given("lockin_budget")),
            confirm=check_confirm(given("lockin_confirm") or "survivors"),
            min_kill=parse_min_kill(given("lockin_min_kill")),
            since=given("lockin_since"),
            survivors=bool(option.lockin_survivors or config.getini("lockin_survivors")),
        ),
    )


def _reference(config: pytest.Config, reference: str) -> str:
    """Check the references' folder, and that pytest did not take it for a folder of tests.

    pytest chooses its root folder before it knows a plugin's options: of `--lockin-reference ../refs` alone
    it takes the folder for one to collect, and then misses the settings that are here.
    """
    checked, here = check_reference(reference), config.invocation_params.dir
    misled = (
        config.inipath is None
        and config.rootpath in here.parents
        and Path(checked).resolve().is_relative_to(config.rootpath)
        and any((here / name).is_file() for name in ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"))
    )
    if misled and not config.option.rootdir:
        raise SettingsError(
            expected=f"pytest's root folder to be {here}, where its settings are",
            found=f"{config.rootpath}: pytest takes a path that stands alone for one to collect tests from",
            hint=f"join them, --lockin-reference={reference}, or name the tests to run",
        )
    return checked


def _fixtures_folder(config: pytest.Config) -> Path | None:
    folder = config.rootpath / (config.getini("lockin_fixtures_dir") or "fixtures")
    # Many a repository has a folder of that name; only ours is locked.
    return folder if (folder / LOCK).is_file() else None


def _report_files(config: pytest.Config) -> tuple[tuple[str, str], ...]:
    """Reports asked for beside JSON, as (format, path)."""
    named = ((each.name, _file_named(config, f"lockin_{each.name}")) for each in FORMATS)
    return tuple((name, str(path)) for name, path in named if path is not None)


def _file_named(config: pytest.Config, name: str) -> Path | None:
    """The file that an option names from where pytest runs, or an ini key from the root folder."""
    path = getattr(config.known_args_namespace, name) or _from_root(config, config.getini(name))
    return Path(path).absolute() if path else None


def _from_root(config: pytest.Config, value: str) -> str:
    return str(config.rootpath / value) if value else ""


def _entry_points(config: pytest.Config) -> tuple[tuple[str, EntryPoint], ...]:
    pairs = parse_pairs(config.getini("lockin_entry_points"), "lockin_entry_points")
    return tuple((pattern, parse_entry_point(value)) for pattern, value in pairs)
