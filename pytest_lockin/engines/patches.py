"""Replace attributes of other libraries' classes, and put every one of them back."""

from __future__ import annotations

from typing import Any

_ABSENT = object()


class Patches:
    """A list of replaced attributes; `undo` restores them in reverse order."""

    def __init__(self) -> None:
        self._done: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> Any:
        """Replace `owner.name` and return what stood there (unbound, as in the owner's `__dict__`)."""
        old = vars(owner).get(name, _ABSENT)
        self._done.append((owner, name, old))
        setattr(owner, name, value)
        return old

    def undo(self) -> None:
        """Restore all; attributes that were inherited before are inherited again."""
        while self._done:
            owner, name, old = self._done.pop()
            if old is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, old)
