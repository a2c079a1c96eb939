"""tf.metrics: values that add up over steps in local variables; knows no session and no file.

A metric is a value, which reads what has been counted, and an update, which counts one batch more
and gives the value after it. All take

* `weights`: what each element counts, a scalar or a tensor as in `library.weights`; 0 leaves it
  out, None counts each once;
* `metrics_collections`, `updates_collections`: names of collections that the value and the update
  are added to;
* `name`: the variable scope of the metric.

They raise ValueError where shapes do not fit.
"""
