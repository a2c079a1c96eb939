"""A few nodes whose kernels can do more together than apart, as one node; knows no plan.

* A convolution with its bias, an array that is added and an activation is one call, for which
  filters are converted once (`layers`); filters that a variable holds again after an update.
* Of a product of which only a slice is read, as of the gradient of a recurrent net's joined input
  and state, only that slice is computed (`partial_products`): a GRU's training 1.09 times as fast.
* Products of few rows that are added up, as of the inputs of each time of a recurrent net with the
  gradients, are one product of many (`product_sums`): an LSTM's training, batch 32, width 256, 1.2
  to 1.35 times as fast, batch 1 four times.
* Maximum pooling tells its gradient in the same plan where the maxima were (`pool_pairs`): LeNet's
  training 1.06 times as fast.
"""
