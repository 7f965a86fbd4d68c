"""One frozen value made from command line and ini keys, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import SettingsError
from pytest_lockin.model.finding import Mechanism
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.model.task import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SOURCES = tuple(str(source) for source in Source)
MECHANISMS = tuple(str(mechanism) for mechanism in Mechanism)
ENGINES = ("auto", "sail", "spark")
# What a gate can fail on. `unverified` always fails it unless allowed, when references were asked for.
GATED = (
    "false_pass",
    "true_fail",
    "false_alarm",
    "unverified",
    "partial",
    "flaky",
    "unfaithful",
    "unconfirmed",
    "not_isolated",
    *MECHANISMS,
)
FIXTURES = ("off", "frozen", "all")
SANDBOXES = ("auto", "bwrap", "none")
# How an entry of `lockin_expose` that names an environment variable begins.
VARIABLE = "env:"
DEFAULT_FAIL_ON = ("false_pass",)
DEFAULT_SUITES = ("test_solution.py",)
CONFIRMATIONS = ("survivors", "all", "none")
# Seconds of trials per suite: what a reader waits for without asking. The report says what was not run.
DEFAULT_BUDGET = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What the gate lets pass, and why: `--lockin-allow unverified=2:"no data yet"`; `most` None for all."""

    what: str
    reason: str = ""
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MinObligations:
    """The least share in percent of a task's obligations that its tests have to check; "" for any source."""

    source: str
    percent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOptions:
    """What the user asked of the trials.

    Attributes:
        run: try alternatives of every suite that passes.
        exhaustive: take no shortcut: every case on every alternative.
        matrix: say of every case which alternatives it notices, and what it looks at.
        budget: seconds per suite after which no new trial is begun; None for no limit.
        confirm: what classic Spark confirms: `survivors` (and a sample of kills), `all` or `none`.
        min_kill: least kill score in percent; None gates nothing.
        since: only functions changed since this git revision, or "".
        survivors: only alternatives that survived the last run.
    """

    run: bool = True
    exhaustive: bool = False
    matrix: bool = False
    budget: float | None = DEFAULT_BUDGET
    confirm: str = "survivors"
    min_kill: float | None = None
    since: str = ""
    survivors: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user asked for.

    Attributes:
        reference: absolute path of the references' folder, or "".
        engine: `auto`, `sail`, `spark` or `sc://host:port`.
        json_file: where the JSON report goes, or "".
        files: other reports to write, as (format, path).
        fail_on: kinds of finding that fail the gate.
        suites: file name patterns of suites under examination.
        entry_points: (path pattern, entry point) pairs; the first that matches holds.
        tasks: (path pattern, task id) pairs; the first that matches holds.
        engines: (name, dotted class name) of engines that other plugins add.
        timeout: seconds one phase of a case may take in a run that is ours, at least.
        workers: suites examined at the same time.
        trials: what was asked of the trials.
        sandbox: `auto`, `bwrap` or `none`.
        fixtures: `off`, `frozen` or `all` (those made after a candidate was read are shown too).
        fixtures_folder: absolute path of the frozen fixtures, or None where there are none.
        policy: revision or folder that decides what is policy, or "".
        lock_file: where the lock of the run goes, or "".
        min_obligations: least shares of obligations checked, by source.
        baseline: absolute path of the file of known findings, or None.
        github: annotate for GitHub, and write its step summary.
        expose: absolute paths, and `env:NAME` variables, that programs may see in the sandbox.
    """

    reference: str = ""
    engine: str = "auto"
    engines: tuple[tuple[str, str], ...] = ()
    json_file: str = ""
    files: tuple[tuple[str, str], ...] = ()
    fail_on: tuple[str, ...] = DEFAULT_FAIL_ON
    allow: tuple[Allowance, ...] = ()
    suites: tuple[str, ...] = DEFAULT_SUITES
    entry_points: tuple[tuple[str, EntryPoint], ...] = ()
    tasks: tuple[tuple[str, str], ...] = ()
    timeout: float = 120.0
    workers: int = 2
    trials: TrialOptions = TrialOptions()
    sandbox: str = "auto"
    expose: tuple[str, ...] = ()
    policy: str = ""
    lock_file: str = ""
    fixtures: str = "frozen"
    fixtures_folder: Path | None = None
    min_obligations: tuple[MinObligations, ...] = ()
    baseline: Path | None = None
    github: bool = False

    @property
    def exposed_paths(self) -> tuple[str, ...]:
        """Paths that programs may see in the sandbox beside their own."""
        return tuple(each for each in self.expose if not each.startswith(VARIABLE))

    @property
    def exposed_variables(self) -> tuple[str, ...]:
        """Names of environment variables that programs may see in the sandbox."""
        return tuple(each.removeprefix(VARIABLE) for each in self.expose if each.startswith(VARIABLE))

    def allows(self, what: str) -> Allowance | None:
        """The allowance for this kind of finding, if the user gave one."""
        return next((given for given in self.allow if given.what == what), None)


def check_engine(value: str, added: Iterable[str] = ()) -> str:
    """Check an engine's name or address; `added` are names of engines that other plugins bring.

    Raises:
        SettingsError: neither a known name nor `sc://host[:port]`.
    """
    host = value.removeprefix("sc://").partition("/")[0].partition(":")[0].strip()
    known = (*ENGINES, *added)
    if value in known or (value.startswith("sc://") and host):
        return value
    raise SettingsError(
        expected=f"an engine: {', '.join(known)} or sc://host:port",
        found=f"--lockin-engine {value}",
        hint="leave the option out for `auto`: Sail looks, Spark judges when Java is there",
    )


def check_sandbox(value: str) -> str:
    """Check `--lockin-sandbox`.

    Raises:
        SettingsError: an unknown word.
    """
    hint = "leave it out: what this machine has is used, and the report says what that is"
    return _one_of(SANDBOXES, "--lockin-sandbox", value, hint)


def parse_expose(values: list[str], root: Path) -> tuple[str, ...]:
    """Read `lockin_expose`: paths from the root folder, and `env:NAME`.

    Raises:
        SettingsError: a variable without a name.
    """
    for value in values:
        if value.startswith(VARIABLE) and not value.removeprefix(VARIABLE).isidentifier():
            raise SettingsError(expected="paths or env:NAME in lockin_expose", found=value, hint="one a line")
    return tuple(value if value.startswith(VARIABLE) else str(root / value) for value in values)


def check_fixtures(value: str) -> str:
    """Check `--lockin-fixtures`.

    Raises:
        SettingsError: an unknown word.
    """
    hint = "leave it out: frozen fixtures are used where there are any"
    return _one_of(FIXTURES, "--lockin-fixtures", value, hint)


def check_reference(value: str) -> str:
    """Check the references' folder and make its path absolute.

    Raises:
        SettingsError: there is no such folder.
    """
    path = Path(value).absolute()
    if not path.is_dir():
        raise SettingsError(
            expected="a folder of references: one folder per task with reference.sql, reference.py or "
            "expected.parquet",
            found=f"--lockin-reference {value}, which is {'a file' if path.exists() else 'not there'}",
            hint="check the path; `lockin tasks build --out refs/` makes one for the TPC-DS tasks",
        )
    return str(path)


def parse_fail_on(values: list[str]) -> tuple[str, ...]:
    """Read `--lockin-fail-on` values: kinds, separated by commas or given several times.

    `none` empties what was given before it, so that a command line can take back what `addopts` says.

    Raises:
        SettingsError: an unknown kind.
    """
    words = [word for value in values for word in value.replace(",", " ").split()]
    if not words:
        return DEFAULT_FAIL_ON
    kinds: dict[str, None] = {}
    for word in words:
        if word == "none":
            kinds.clear()
        elif word in GATED:
            kinds[word] = None
        else:
            raise _unknown_kind("--lockin-fail-on", word, "several go with commas; `none` empties the list")
    return tuple(kinds)


def parse_allow(values: list[str]) -> tuple[Allowance, ...]:
    """Read `--lockin-allow WHAT[=MOST][:reason]` values.

    Raises:
        SettingsError: an unknown kind, or a number that is none.
    """
    allowances = []
    for value in values:
        named, _, reason = (part.strip() for part in value.partition(":"))
        what, equals, most = (part.strip() for part in named.partition("="))
        if what not in GATED:
            hint = "give the option once for each kind: WHAT[=MOST][:reason]"
            raise _unknown_kind("--lockin-allow", what, hint)
        if equals and not most.isdecimal():
            raise _not_a_number("a whole number of findings", "lockin_allow", named)
        allowances.append(Allowance(what=what, reason=reason, most=int(most) if equals else None))
    return tuple(allowances)


def parse_min_obligations(values: list[str]) -> tuple[MinObligations, ...]:
    """Read `--lockin-min-obligations [SOURCE=]PERCENT` values.

    Raises:
        SettingsError: an unknown source, or no percentage.
    """
    found = []
    for value in values:
        source, equals, percent = (part.strip() for part in value.partition("="))
        if equals:
            _one_of(SOURCES, "--lockin-min-obligations", source, "or leave the source out: PERCENT of all")
        found.append(
            MinObligations(
                source=source if equals else "",
                percent=_percentage(percent if equals else source, "lockin_min_obligations"),
            )
        )
    return tuple(found)


def _unknown_kind(option: str, word: str, hint: str) -> SettingsError:
    return _unknown_word(GATED, option, word, hint)


def _one_of(words: Sequence[str], option: str, value: str, hint: str) -> str:
    if value in words:
        return value
    raise _unknown_word(words, option, value, hint)


def _unknown_word(words: Sequence[str], option: str, word: str, hint: str) -> SettingsError:
    return SettingsError(expected=f"one of {', '.join(words)}", found=f"{option} {word}".rstrip(), hint=hint)


def parse_timeout(text: str, default: float = 120.0) -> float:
    """Read `--lockin-timeout`: seconds.

    Raises:
        SettingsError: not a number, not positive, or not finite.
    """
    return _positive(text, "lockin_timeout", default)


def parse_workers(text: str, default: int) -> int:
    """Read `--lockin-workers`: a whole number of suites.

    Raises:
        SettingsError: not a whole number of at least one.
    """
    number = _positive(text, "lockin_workers", default)
    if number != int(number):
        raise _not_a_number("a whole number", "lockin_workers", text)
    return int(number)


def parse_switch(text: str, option: str) -> bool:
    """Read an option that is `on` (the default) or `off`.

    Raises:
        SettingsError: another word.
    """
    if text in ("", "on", "off"):
        return text != "off"
    raise SettingsError(expected=f"{option} on or off", found=text, hint="leave it out: it is on")


def parse_github(value: str, variables: Mapping[str, str]) -> bool:
    """Read `lockin_github`: `on`, `off`, or by default whether this is a run of GitHub Actions.

    Raises:
        SettingsError: another word.
    """
    if not value:
        return variables.get("GITHUB_ACTIONS") == "true"
    return _one_of(("on", "off"), "lockin_github", value, "leave it out: on in GitHub Actions") == "on"


def parse_budget(text: str) -> float | None:
    """Read `--lockin-budget`: seconds, or `none` for no limit.

    Raises:
        SettingsError: neither a positive number nor `none`.
    """
    return None if text == "none" else _positive(text, "lockin_budget", DEFAULT_BUDGET)


def parse_min_kill(text: str) -> float | None:
    """Read `--lockin-min-kill`: percent, from 0 to 100; None where nothing was given.

    Raises:
        SettingsError: not a number in that range.
    """
    return _percentage(text, "lockin_min_kill") if text else None


def _percentage(text: str, name: str) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise _not_a_number("a percentage", name, text) from error
    if not 0 <= number <= 100:  # noqa: PLR2004 - percent
        raise _not_a_number("a percentage from 0 to 100", name, text)
    return number


def check_confirm(value: str) -> str:
    """Check `--lockin-confirm`.

    Raises:
        SettingsError: an unknown word.
    """
    hint = "leave it out: all survivors and a sample of kills are confirmed on Spark where Java is there"
    return _one_of(CONFIRMATIONS, "--lockin-confirm", value, hint)


def _positive(text: str, name: str, default: float) -> float:
    if not text:
        return default
    try:
        number = float(text)
    except ValueError as error:
        raise _not_a_number("a positive number", name, text) from error
    if not (math.isfinite(number) and number > 0):
        raise _not_a_number("a positive number", name, text)
    return number


def _not_a_number(what: str, name: str, text: str) -> SettingsError:
    return SettingsError(expected=f"{what} for {name}", found=text, hint="leave it out for the default")


def parse_pairs(lines: list[str], key: str) -> tuple[tuple[str, str], ...]:
    """Read ini lines of the form `path pattern = value`.

    Raises:
        SettingsError: a line without `=`.
    """
    pairs = []
    for line in lines:
        pattern, equals, value = line.partition("=")
        if not equals or not pattern.strip() or not value.strip():
            raise SettingsError(
                expected=f"lines `path pattern = value` in {key}", found=line, hint="one pair per line"
            )
        pairs.append((pattern.strip(), value.strip()))
    return tuple(pairs)


def parse_entry_point(value: str) -> EntryPoint:
    """Read `module:function`, or just `function` of the module `solution`.

    Raises:
        SettingsError: one of the two is not a name Python could import.
    """
    module, colon, function = (part.strip() for part in value.partition(":"))
    if not colon:
        module, function = EntryPoint().module, module
    if not function.isidentifier() or not all(name.isidentifier() for name in module.split(".")):
        raise SettingsError(
            expected="an entry point `module:function`, or just `function`",
            found=value.strip() or "nothing",
            hint="write it as the tests import it, for example solution:solve",
        )
    return EntryPoint(module=module, function=function)
