"""Recurrent nets: cells, which compute one step, and the loops that run them over sequences.

A cell is a layer called with inputs and a state, and returns outputs and the next state. `cell`
says what all have in common, `sizes` how shapes of states and outputs are put together; `basic`,
`lstm` and `gru` compute, `multi`, `wrappers` and `dropout` are made of other cells. `static` makes
the operations of each step anew, `dynamic` and `raw` make a loop; `steps` is what these share.
"""
