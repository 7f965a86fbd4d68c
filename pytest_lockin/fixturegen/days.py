"""Dates as numbers of days."""

from __future__ import annotations

from datetime import date, timedelta

# The first day of a March after a leap day: from here years, months and days follow by whole divisions
# (valid from March 1900 until February 2100).
ORIGIN = date(2000, 3, 1)


def to_days(value: date) -> int:
    """Give a date's number."""
    return (value - ORIGIN).days


def from_days(number: int) -> date:
    """Give a number's date."""
    return ORIGIN + timedelta(days=number)
