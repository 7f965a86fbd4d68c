"""The reference page of the operators is made from them."""

from pathlib import Path

from pytest_lockin.alternatives.document import describe_operators

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "operators.md"


def test_the_page_is_up_to_date():
    """Renew with `python -m pytest_lockin.alternatives.document docs/reference/operators.md`."""
    assert PAGE.read_text(encoding="utf-8") == describe_operators()
