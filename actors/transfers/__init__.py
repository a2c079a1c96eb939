"""Ways to carry a tensor from one device to another; knows no plan and no kernel.

A `Transport` is chosen for each edge when a plan is made: by reference in one process (`local`),
over a lane (`lanes/`), or through Ray's object store anywhere. It must deliver or fail: a lost
value is an error on the waiting side before the step's deadline. In loops it may hold the sender
back, but only where the receiver can go on without it.
"""
