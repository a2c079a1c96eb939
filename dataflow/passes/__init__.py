"""The compiler: pure functions over NodeGraph; knows neither the front end's graph nor a kernel.

Whether a device can run a node is asked through a function handed in.
"""
