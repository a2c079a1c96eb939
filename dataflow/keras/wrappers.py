"""tf.keras.wrappers: not here."""

from dataflow.keras.absent import absent

__getattr__ = absent(__name__, "wrappers for scikit-learn")
