"""Gradients: the walk back over a graph, through calls, branches and loops; knows no optimizer.

The walk calls the gradient functions of op definitions and knows no op by name. The gradient of a
loop is another loop that counts back: what it needs of the forward iterations is pushed on stacks
there and popped here.
"""
