"""Neural nets: activations, convolutions, pooling, normalization, losses; nothing imports it.

The other families may not: what they need of it they build by op type, as sorting does TopK.
"""
