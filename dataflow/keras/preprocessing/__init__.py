"""tf.keras.preprocessing: texts and sequences as arrays."""

from dataflow.keras.preprocessing import sequence as sequence
from dataflow.keras.preprocessing import text as text
