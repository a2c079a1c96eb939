"""tf.keras.preprocessing.image: files of images as arrays, and batches of changed images."""

from dataflow.keras.preprocessing.image.changes import (
    apply_affine_transform as apply_affine_transform,
)
from dataflow.keras.preprocessing.image.changes import (
    apply_brightness_shift as apply_brightness_shift,
)
from dataflow.keras.preprocessing.image.changes import apply_channel_shift as apply_channel_shift
from dataflow.keras.preprocessing.image.changes import random_brightness as random_brightness
from dataflow.keras.preprocessing.image.changes import random_channel_shift as random_channel_shift
from dataflow.keras.preprocessing.image.changes import random_rotation as random_rotation
from dataflow.keras.preprocessing.image.changes import random_shear as random_shear
from dataflow.keras.preprocessing.image.changes import random_shift as random_shift
from dataflow.keras.preprocessing.image.changes import random_zoom as random_zoom
from dataflow.keras.preprocessing.image.files import array_to_img as array_to_img
from dataflow.keras.preprocessing.image.files import img_to_array as img_to_array
from dataflow.keras.preprocessing.image.files import load_img as load_img
from dataflow.keras.preprocessing.image.files import save_img as save_img
from dataflow.keras.preprocessing.image.folders import DirectoryIterator as DirectoryIterator
from dataflow.keras.preprocessing.image.generator import ImageDataGenerator as ImageDataGenerator
from dataflow.keras.preprocessing.image.iterators import Iterator as Iterator
from dataflow.keras.preprocessing.image.iterators import NumpyArrayIterator as NumpyArrayIterator
from dataflow.keras.preprocessing.image.tables import DataFrameIterator as DataFrameIterator
