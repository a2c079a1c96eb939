"""tensorflow.python.eager and tensorflow.contrib.eager: what of them graphs have."""
