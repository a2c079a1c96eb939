"""tensorflow.python.keras.layers.convolutional: former names of transposed convolutions."""

from dataflow.keras import layers

Deconv2D = Deconvolution2D = layers.Conv2DTranspose
Deconv3D = Deconvolution3D = layers.Conv3DTranspose
