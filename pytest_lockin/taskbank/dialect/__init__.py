"""What other engines say differently: patches of a statement, and differences of its result known beforehand.

One file a task, `<id>.yaml`, and only for tasks that need one; `reasons.yaml` explains each reason once. A
difference that no file names is a disagreement (see `panel.py`): nothing is overlooked by default.
"""
