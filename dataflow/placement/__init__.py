"""Cuts loaded graphs over devices, and runs the pieces as a pipeline; changes nothing but devices.

`groups` says which nodes stay together, `measures` how much each takes, `cuts` where the order of
the groups is cut, and `place` puts these together. `pipeline` loads a model so that each weight is
on its device from the start, and keeps several requests in flight.
"""
