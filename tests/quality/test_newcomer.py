"""A newcomer's first minutes, by the README alone: an empty environment, `pip install`, a page with a witness.

    pytest -m slow -s tests/quality/test_newcomer.py

The commands are the README's own, run in the tutorial's small repository. How long each took is printed.
"""

import os
import re
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECTION = (
    (ROOT / "README.md")
    .read_text(encoding="utf-8")
    .partition("## On your own code\n")[2]
    .partition("\n## ")[0]
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What a newcomer has: a function a model wrote, its tests, a statement by somebody else, and a sample.
OWN = ("jobs/revenue.py", "tests/test_revenue.py", "revenue.sql", "make_sample.py")


def read_commands():
    """The README's commands; what it installs is this checkout, and a newcomer's answer is yes."""
    lines = [line for kind, text in BLOCK.findall(SECTION) if not kind for line in text.splitlines()]
    commands = [line.partition("  #")[0].rstrip() for line in lines]
    replaced = {"pip install pytest-lockin": f"pip install -q '{ROOT}'", "lockin init": "lockin init --yes"}
    return [replaced.get(command, command) for command in commands]


def write_own(folder):
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    for name in OWN:
        text = re.search(rf"`{re.escape(name)}`:\n\n```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def run(command, folder, environment):
    started = time.monotonic()
    ran = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    say(f"{time.monotonic() - started:6.1f} s  {command}")
    return ran


@pytest.mark.slow
def test_from_pip_install_to_a_page_with_a_witness(tmp_path):
    commands = read_commands()
    assert [command.split()[:2] for command in commands] == [
        ["pip", "install"], ["lockin", "init"], ["pytest", "--lockin"],
        ["lockin", "new-task"], ["lockin", "fixtures"], ["pytest", "--lockin-reference=refs"],
    ]  # fmt: skip
    shop = tmp_path / "shop"
    write_own(shop)
    venv.create(tmp_path / "venv", with_pip=True)
    steering = ("PYTEST_", "COV_", "COVERAGE_", "PYTHON", "VIRTUAL_ENV", "LOCKIN_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
    environment["PATH"] = f"{tmp_path / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    say(f"\nPython {sys.version.split()[0]}, {os.cpu_count()} cores")
    started = time.monotonic()
    status = []
    for command in commands:
        ran = run(command, shop, environment)
        status.append(ran.returncode)
        if command.startswith("pip install"):
            # Their data: not a command of the README.
            assert run("python make_sample.py", shop, environment).returncode == 0
            shipped = run("lockin init --template connect", shop, environment)
            assert shipped.stdout == (ROOT / "conftest_templates" / "connect.py").read_text()
        assert "Traceback" not in ran.stdout, ran.stdout
    say(f"{time.monotonic() - started:6.1f} s  in all")
    assert status == [0, 0, 0, 0, 0, 1], ran.stdout
    assert "FALSE PASS" in ran.stdout
    page = (shop / "report.html").read_text(encoding="utf-8")
    assert "witness" in page.lower()
    assert re.search(r"customers.{0,200}1 row", page, re.DOTALL), "the customer without an order"
