"""The Python front end: reads DataFrame code without running it."""
