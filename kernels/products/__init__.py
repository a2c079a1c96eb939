"""Matrix products by BLAS and oneDNN; knows no node.

Products of up to a million multiplications go to OpenBLAS where it has code of its own for them
(`blas`), larger ones to oneDNN. Without AVX-512 BLAS also has those of which oneDNN would read
lines 2 KiB, or a multiple, apart (widths of 512, 1024 and so on), and stacks of tiny ones. A
product has the team of threads only where that leaves its bits alone (`sums`): known for AVX-512
and up to four threads, tried once for more, never with AVX2. Where the second matrix is transposed
and sums are long, code made for the sizes is up to six times faster (`turned`). Integers are
multiplied as floats where these hold every sum (`integer_products`).
"""
