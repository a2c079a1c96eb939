"""16-bit floats by way of float32, which they are widened to and rounded from block by block.

numpy converts float16 number by number, and ml_dtypes rounds so; passes over bits take a tenth.
"""
