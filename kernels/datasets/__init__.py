"""Datasets, which describe streams of elements, and the iterators that pull elements from them."""
