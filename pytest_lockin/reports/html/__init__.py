"""The report as one page that needs no network: `render_html` lays a document out as HTML."""

from pytest_lockin.reports.html.page import render_html

__all__ = ["render_html"]
