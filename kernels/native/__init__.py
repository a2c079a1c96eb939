"""Machine code for rows of elementwise functions, made by LLVM; knows no node and no plan.

A call of numpy on a few thousand numbers takes as long as its work, and what it makes goes through
memory. A `Program` of many functions is one loop here, whose values stay in registers. Sums,
products, roots and choices are the processor's own, with numpy's bits; nothing is rounded together
or reordered. Exponentials and the like are formulas (`functions`), two to twelve times as fast as
numpy's without AVX-512; kernels call the same ones. Results may be rows of larger arrays, which an
array names.

A function that was compiled is one of Python's builtins (`builtin`) and takes arrays as they are.
It looks whether they are what it was made for (`guards`), and says False if not. Numbers that it
holds are data beside its code, so programs that differ in these only are compiled once, in about
5 to 14 ms, or 20 to 45 with several formulas. What it takes (`price`) says whether threads share
it, and whether Python's lock is given up meanwhile. Without LLVM there are no programs.
"""
