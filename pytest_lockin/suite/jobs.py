"""What a worker's pytest is told: explicit arguments and plain option values, and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_lockin.model.messages import CoverageSpec, EngineSpec, SuiteJob
from pytest_lockin.suite.child import BLOCKED_PLUGINS, marker_name

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pytest_lockin.model.suite import Suite
    from pytest_lockin.workshop import Workshop

# Options that steer what only the controller's pytest does: selection, reporting, distribution, this plugin.
_NOT_HANDED_ON = frozenset(
    {
        "basetemp", "cacheclear", "cacheshow", "collectonly", "color", "code_highlight",
        "confcutdir", "continue_on_collection_errors", "debug", "deselect", "dist", "durations",
        "durations_min", "failedfirst", "file_or_dir", "help", "ignore", "ignore_glob",
        "importmode", "inifilename", "junitprefix", "keyword", "last_failed_no_failures", "lf",
        "markers", "markexpr", "maxfail", "maxprocesses", "newfirst", "no_header", "no_summary",
        "noconftest", "numprocesses", "override_ini", "pastebin", "plugins", "px", "pythonwarnings",
        "quiet", "reportchars", "reruns", "rootdir", "rsyncdir", "rsyncignore", "stepwise",
        "stepwise_skip", "stepwise_reset", "strict", "strict_config", "strict_markers",
        "testrunuid", "timeout", "tx", "trace", "usepdb", "usepdb_cls", "version", "xmlpath",
        "looponfail", "only_rerun", "setuponly", "setupshow", "setupplan", "capture",
        "keepduplicates", "pyargs", "show_fixtures_per_test", "showfixtures",
        "disable_plugin_autoload", "log_file", "xml_path", "dsession", "session_timeout",
        "timeout_method", "timeout_func_only", "log_cli_level", "force_short_summary",
    }
)  # fmt: skip
# pytest rewrites the asserts of every plugin's package; the worker has imported ours before pytest starts.
_OWN_WARNING = (
    "ignore:Module already imported so cannot be rewritten; pytest_lockin:pytest.PytestAssertRewriteWarning"
)
_OWN_PREFIXES = ("lockin", "cov", "randomly", "no_cov")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteWorld:
    """The pytest settings that all workers of one run share."""

    root: str
    ini_file: str
    pytest_args: tuple[str, ...]
    options_json: str
    ini_keys: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    coverage: CoverageSpec | None = None


def describe_world(
    config: pytest.Config, *, hidden: tuple[str, ...], empty_ini: Path, coverage: CoverageSpec | None
) -> SuiteWorld:
    """Read from a configured pytest what its workers are told; what mentions a hidden path is left out."""
    option = config.option
    ini_file = str(config.inipath) if config.inipath else str(empty_ini)
    args = [
        "-c",
        ini_file,
        "--rootdir",
        str(config.rootpath),
        "--confcutdir",
        str(option.confcutdir or config.rootpath),
    ]
    args += ["-o", "addopts=", "-o", "strict_config=false", f"--capture={option.capture}"]
    # The `cache` fixture works and the user's own cache stays as the controller leaves it.
    args += ["-o", f"cache_dir={empty_ini.parent / 'cache'}"]
    args += [f"--import-mode={option.importmode}"]
    if option.noconftest:
        args.append("--noconftest")
    if getattr(option, "strict_markers", False) or config.getoption("strict", default=False):
        args.append("--strict-markers")
    for warning in (*(option.pythonwarnings or ()), _OWN_WARNING):
        args += ["-W", warning]
    for override in option.override_ini or ():
        if not override.startswith("addopts"):
            args += ["-o", override]
    for name in option.plugins or ():
        if name.removeprefix("no:").partition(".")[0] not in BLOCKED_PLUGINS:
            args += ["-p", name]
    for name in BLOCKED_PLUGINS:
        args += ["-p", f"no:{name}"]
    return SuiteWorld(
        root=str(config.rootpath),
        ini_file=ini_file,
        pytest_args=tuple(arg for arg in args if not _tells(arg, hidden)),
        options_json=json.dumps(_plain_options(vars(option), hidden)),
        ini_keys=tuple(config._parser._inidict),  # noqa: SLF001 - there is no public way to ask
        markers=tuple(marker_name(line) for line in config.getini("markers")),
        coverage=coverage,
    )


def _plain_options(options: dict[str, Any], hidden: tuple[str, ...]) -> dict[str, Any]:
    plain = {}
    for name, value in options.items():
        if name in _NOT_HANDED_ON or name.startswith(_OWN_PREFIXES):
            continue
        try:
            text = json.dumps(value)
        except (TypeError, ValueError):
            continue
        if not _tells(text, hidden):
            plain[name] = value
    return plain


def _tells(text: str, hidden: tuple[str, ...]) -> bool:
    return any(path and path in text for path in hidden)


def make_job(
    world: SuiteWorld,
    suite: Suite,
    engine: EngineSpec,
    store: Path,
    *,
    observe: str = "all",
    stub: bool = False,
) -> SuiteJob:
    """Say what one worker does with one suite. Coverage is measured in observed ordinary runs only."""
    return SuiteJob(
        suite_id=suite.id,
        path=suite.path,
        entry_point=suite.entry_point,
        engine=engine,
        store=str(store),
        root=world.root,
        ini_file=world.ini_file,
        pytest_args=world.pytest_args,
        options_json=world.options_json,
        ini_keys=world.ini_keys,
        markers=world.markers,
        observe=observe,
        stub=stub,
        coverage=world.coverage if observe == "all" and not stub else None,
    )


def make_trial_job(workshop: Workshop, world: SuiteWorld, suite: Suite, engine: EngineSpec) -> SuiteJob:
    """Say what a worker for one suite's trials is given; what calls give there is stored apart."""
    folder = workshop.folder / "trials" / engine.name / suite.id.replace("/", "_")
    return make_job(world, suite, engine, folder, observe="trials")
