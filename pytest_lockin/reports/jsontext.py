"""JSON that stays data wherever it is pasted."""

from __future__ import annotations

import json
from typing import Any


def write_json_text(value: Any) -> str:
    """A file's text; `<` is written as an escape, so that inside a page's script nothing ends or begins."""
    return json.dumps(value, indent=1, ensure_ascii=False).replace("<", "\\u003c") + "\n"
