"""tf.keras.mixed_precision: not here."""

from dataflow.keras.absent import absent

__getattr__ = absent(__name__, "training in mixed precision")
