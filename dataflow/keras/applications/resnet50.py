"""tf.keras.applications.resnet50: the net of residual blocks of 50 layers."""

from dataflow.keras.applications.resnet import ResNet50 as ResNet50
from dataflow.keras.applications.resnet import decode_predictions as decode_predictions
from dataflow.keras.applications.resnet import preprocess_input as preprocess_input
