"""A few nodes whose kernels can do more together than apart, as one node; knows no plan.

* A convolution with its bias, an array that is added and an activation is one call, for which
  filters are converted once (`layers`); filters that a variable holds again after an update.
* A product adds the bias and applies the function that follow it to each part of its results
  while that is in the cache (`epilogues`): LeNet's inference 1.26 times as fast.
* Of a product of which only a slice is read, as of the gradient of a recurrent net's joined input
  and state, only that slice is computed (`partial_products`).
* Maximum pooling tells its gradient in the same plan where the maxima were (`pool_pairs`), and
  the gradient of an activation in front of it asks the maxima, not all that was pooled
  (`pooled_masks`): together 1.10 times as fast.
"""
