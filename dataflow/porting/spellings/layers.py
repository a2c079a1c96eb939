"""tensorflow.python.layers: the classes by their long names."""

import dataflow.library.layers.convolution as _convolution
import dataflow.library.layers.dense as _dense
import dataflow.library.layers.normalization as _normalization
import dataflow.library.layers.pooling as _pooling
import dataflow.library.layers.separable as _separable
import dataflow.library.layers.transposed as _transposed
from dataflow.library.layers.keras_style import keras_style_scope as keras_style_scope
from dataflow.library.layers.keras_style import set_keras_style as set_keras_style

AvgPool1D = _pooling.AveragePooling1D
AvgPool2D = _pooling.AveragePooling2D
AvgPool3D = _pooling.AveragePooling3D
BatchNorm = _normalization.BatchNormalization
Convolution1D = _convolution.Conv1D
Convolution2D = _convolution.Conv2D
Convolution2DTranspose = _transposed.Conv2DTranspose
Convolution3D = _convolution.Conv3D
Convolution3DTranspose = _transposed.Conv3DTranspose
Deconvolution2D = _transposed.Conv2DTranspose
FullyConnected = _dense.Dense
MaxPool1D = _pooling.MaxPooling1D
MaxPool2D = _pooling.MaxPooling2D
MaxPool3D = _pooling.MaxPooling3D
SeparableConvolution2D = _separable.SeparableConv2D
Deconv2D = _transposed.Conv2DTranspose
Deconv3D = _transposed.Conv3DTranspose
Deconvolution3D = _transposed.Conv3DTranspose
convolution1d = _convolution.conv1d
convolution2d = _convolution.conv2d
convolution3d = _convolution.conv3d
separable_convolution2d = _separable.separable_conv2d
convolution2d_transpose = _transposed.conv2d_transpose
deconvolution2d = _transposed.conv2d_transpose
deconv2d = _transposed.conv2d_transpose
convolution3d_transpose = _transposed.conv3d_transpose
deconvolution3d = _transposed.conv3d_transpose
deconv3d = _transposed.conv3d_transpose
fully_connected = _dense.dense
batch_norm = _normalization.batch_normalization
max_pool2d = _pooling.max_pooling2d
avg_pool2d = _pooling.average_pooling2d
