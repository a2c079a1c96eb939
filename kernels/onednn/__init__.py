"""oneDNN's engine: the library, its primitives and its team of threads; knows no op.

Float32 work on Linux x86-64 goes to it from the rooms above (`products`, `rows`, `convolution`,
`pooling`, `elementwise`, `reductions`); where it is absent, or `TF_ENABLE_ONEDNN_OPTS=0`, numpy
does all of it. OpenMP's threads do one call together where nobody else has work for them (`team`):
they spin for 250 to 400 us after a call, since waking a sleeping core takes 15 to 60 us. Such
calls suffer where other processes want the cores, so they are timed, and one that comes late sends
the team to rest.
"""
