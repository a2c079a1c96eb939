"""Machine code for rows of elementwise functions, made by LLVM; knows no node and no plan.

A call of numpy on a few thousand numbers takes as long as its work, and what it makes goes through
memory. A `Program` of many functions is one loop here, whose values stay in registers. It gives
numpy's bits: sums, products, roots and choices are the processor's own, and exponentials and the
like are numpy's loops, called on blocks that stay in the first cache (`loops`). Nothing is rounded
together or reordered. Results may be rows of larger arrays, which an array names.

A function that was compiled is one of Python's builtins (`builtin`) and takes arrays as they are.
It looks whether they are what it was made for (`guards`), and says False if not. Numbers that it
holds are data beside its code, so programs that differ in these only are compiled once, in about
5 ms. Without LLVM there are no programs.
"""
