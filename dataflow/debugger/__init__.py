"""The debugger: sessions whose steps dump what they compute, and what reads the dumps.

`watching` says in RunOptions what is dumped; the session's steps write it (`session/watched.py`,
`passes/watches.py`). `tensor_dumps` reads one tensor, `dump_folder` all of a step. `sessions` and
`hooks` do both around a program's own calls of `run`.
"""
