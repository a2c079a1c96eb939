"""Splitting one kernel's work over idle threads, and trying which way is faster; knows no array.

A costly kernel takes pieces from a shared counter, and the caller waits for no thread that has not
begun (`parallel`). Where pieces end depends on shapes and options only, or does not show in the
bits, so that results are the same in every run. Calls shall take 40 us at least: threads whose
calls are shorter wait for Python's lock most of the time. A thread that last ran on the core of
the one that wakes it is sent to another (`cores`).

Between stretches of some milliseconds a split looks whether its step was stopped (`stopping`), and
so do kernels that take long in other ways. What writes to a variable says so: it is not stopped
half way, and does not begin once the step was stopped.
"""
