"""Connected elementwise nodes over large arrays as one node, block by block; knows no plan.

A cluster works on 128k to 512k elements at a time, over the idle threads, so that what its nodes
hand on stays in cache: each call shall take 40 us, for threads whose calls are shorter wait for
Python's lock most of the time. With 60 ops that takes a seventh of the time, with a few ops 0.55
to 0.85 of it.

* Sums, means and extremes of what they make belong to a cluster (`reductions`): they are taken of
  each block, so that the array that is reduced need not exist. `kernels/reductions/parts` says
  which blocks come to the bits of the whole. 1.5 times as fast.
* Float32 nodes of which each is the only reader of the one before (`chains`) are one call of
  oneDNN for a block: values stay in registers, with numpy's bits; 3 times as fast. Its extremes
  lose NaNs; they raise the processor's flag of invalid operations then, and numpy computes the
  block.
* A kernel that is made of a formula, or tells one, is taken apart into functions of numpy's
  (`steps`), and these take its place: some go with what comes before and after.
* Operands have the shape of the results, or are seen as rows, columns or numbers of two axes
  (`shapes`); what is repeated along axes between two that it has, as the mean of a group of
  channels, is repeated beforehand where that is little.
* Operands that are not in C order are left to the nodes one by one: what reads the results goes
  through them as they lie, and would come to other bits.
"""
