"""Keeps untrusted processes apart by the operating system: backends, what they show, what was found to hold.

`choose` decides on a backend; `bwrap` and `bare` start processes (`spawn`). `view` says what one
sees and may use, `views` makes that from a job, `preflight` looks through it before, `attest` at it after.
"""
