"""Renderers of the frozen report."""
