"""tf.keras.applications: not here."""

from dataflow.keras.absent import absent

__getattr__ = absent(__name__, "nets with weights of ImageNet")
