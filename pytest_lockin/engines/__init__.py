"""Engines behind one interface: the only place that imports pyspark or pysail."""
