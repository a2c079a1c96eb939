"""Convolutions and their gradients, split by images, bands of rows or channels; knows no pooling.

Axes that a window covers whole are further channels (`whole_axes`), so that a filter as large as
what it sees is a product.
All images are one call of the team of threads where that has the same bits and turns out faster,
which is tried in turns (`together`). Gradients of filters are split by output channels where much
is computed for each number (`filter_parts`), else they are sums over some images each; those of
1x1 convolutions are products.
"""
