"""tensorflow.python.layers: the classes by their long names."""

import dataflow.library.layers.convolution as _convolution
import dataflow.library.layers.dense as _dense
import dataflow.library.layers.normalization as _normalization
import dataflow.library.layers.pooling as _pooling
import dataflow.library.layers.separable as _separable
import dataflow.library.layers.transposed as _transposed

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
