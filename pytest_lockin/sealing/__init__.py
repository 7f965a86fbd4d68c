"""What a run rests on, by hash: who changed what, when they should not have.

`tree` hashes files, `tamper` compares before and after, `policy` compares with the base of a change, `lock`
writes it all down, `canary` looks for a planted secret.
"""
