"""Keeps a suite's `conftest.py` out of the controlling process: it is loaded in the worker only.

The one place that touches a private method of pytest (`PytestPluginManager._importconftest`); tested on
pytest 8 and 9.
"""

from __future__ import annotations

import functools
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_lockin.suite.find import SuiteFinder


def keep_out_conftests(pluginmanager: Any, finder: SuiteFinder) -> None:
    """From now on a conftest in or below a suite's folder is replaced by an empty module."""
    original = pluginmanager._importconftest  # noqa: SLF001 - there is no public hook before the import

    @functools.wraps(original)
    def import_conftest(conftestpath: Path, *args: Any, **kwargs: Any) -> ModuleType:
        if finder.in_suite_folder(Path(conftestpath)):
            stand_in = ModuleType(f"lockin_kept_out.{Path(conftestpath).parent.name}")
            stand_in.__file__ = str(conftestpath)
            return stand_in
        module: ModuleType = original(conftestpath, *args, **kwargs)
        return module

    pluginmanager._importconftest = import_conftest  # noqa: SLF001
