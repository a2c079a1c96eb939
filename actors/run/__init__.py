"""Runs plans in steps; knows nothing of sessions, and of a device no more than its name.

A straight plan runs on the calling thread, without a queue (`Executor.run`). One that first
receives and then is straight waits without a thread until the last value has come (`arrivals`): a
step that is a few nodes between two transfers takes half the time so. Others go through the ready
queue of their segments. The first error of a step stops the rest.

Plans with control flow that is not structured run on the general executor (`tagged_*`), by the
rules of TensorFlow's: a count per node and iteration, dead bits, `parallel_iterations`. One
thread at a time has the baton and runs cheap nodes; costly ones run without it on other threads.
In loops over several devices each device that takes part has a small control loop, driven by the
condition that its owner sends every iteration; the key of an edge carries frame and iteration.
"""
