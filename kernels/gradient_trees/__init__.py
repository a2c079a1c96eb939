"""Trees on gradients, those of tf.contrib.boosted_trees, as arrays: sums, splits, ensembles."""
