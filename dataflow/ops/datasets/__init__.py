"""Ops on datasets, which describe streams of elements, and on iterators over them."""
