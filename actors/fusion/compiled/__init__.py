"""Connected elementwise nodes as one function of machine code; knows no plan.

What nodes do is told by the formulas of their kernels, or by the functions of numpy's that they are
bound to (`steps`). Connected ones whose results have one shape make a program (`draft`), which is
compiled (`kernels/native`), and one node runs it: 100 nodes on 32 floats in 1 us instead of 30, the
60 of a backward step of an LSTM, 32 x 100, in 20 us instead of 160. Where values are not what was
seen, the nodes run one by one.

* Sums over no axes and changes of a shape to what it is stand between most nodes of gradients of
  things that might be repeated. They are in the program as what it looks for (`passing`).
* What is repeated may extend along any of the axes, and nothing need extend along all of them; rows
  may lie apart, as parts of an array do.
* Arrays that all lie in another order are turned for the program, and its results turned back; a
  transposed one among others is copied first. So results lie as they do node by node: what reads
  them goes through them as they lie, and would come to other bits.
* Exponentials and the like of short rows that are repeated stay with numpy: a call for each row
  would take longer.
* Work that is worth it is shared by several threads, each with a part of the rows.
"""
