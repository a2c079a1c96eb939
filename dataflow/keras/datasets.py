"""tf.keras.datasets: not here."""

from dataflow.keras.absent import absent

__getattr__ = absent(__name__, "data sets to download")
