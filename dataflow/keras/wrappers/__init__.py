"""tf.keras.wrappers: models as other libraries' estimators."""

from dataflow.keras.wrappers import scikit_learn as scikit_learn
