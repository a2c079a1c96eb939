"""tf.compat.v2, which there is none of: whoever imports it is told what to import."""

raise ImportError(
    "there is no dataflow.compat.v2: dataflow has the API of TensorFlow 1. Import dataflow, or "
    "dataflow.compat.v1, which is the same"
)
