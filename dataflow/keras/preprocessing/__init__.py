"""tf.keras.preprocessing: images, texts and sequences as arrays."""

from dataflow.keras.preprocessing import image as image
from dataflow.keras.preprocessing import sequence as sequence
from dataflow.keras.preprocessing import text as text
