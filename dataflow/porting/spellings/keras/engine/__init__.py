"""Names of tensorflow.python.keras.engine that models here do without."""
