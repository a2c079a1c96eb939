"""tf.compat.v2.saved_model: what differs from TensorFlow 1."""

from dataflow.saving.objects.loading import load_v2 as _load_v2

load = _load_v2
