"""Device types: their array library, the ways in and out of it, and which this process has.

Knows no plan. Nothing else lists device types: a new one is registered and brings its kernels,
its array module and its conversions. cupy is imported only where a GPU can be seen. Bound
callables of stateful nodes are kept for each session, over its plans, so that a step goes on
where another stopped.
"""
