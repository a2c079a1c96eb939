"""Random graphs, attrs, feeds and calls into native libraries: nothing may end the process.

What a trial does follows from a seed and its number alone. It runs in a process of its own, whose
memory is bounded; a trial is refused with an error that names a node, or it works.
`python -m tests.fuzz --seconds 3600 --seed 1` tries for an hour and prints what went wrong as small
programs; a run of some seconds is a test.
"""
