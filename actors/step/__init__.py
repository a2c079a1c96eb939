"""One step: its identity, cancellation and home, where its values meet; knows no plan.

Values that cross devices meet in the rendezvous under (step, edge), whoever comes first. The
first error wins: the rest of the step is aborted on every device, and the next run works. A step
that was stopped ends for who asked for it when its kernels have ended, or have had their time and
none of them writes to a variable (`away`).

A feed is shown to kernels read-only. A fetched value that leaves with the reply of its device is
the user's own: it is copied only if the reference count cannot prove that nothing else holds it.
"""
