"""tf.keras.layers: what models are made of."""

from __future__ import annotations

from typing import Any

from dataflow.keras.engine.base_layer import Layer as Layer
from dataflow.keras.engine.input_layer import Input as Input
from dataflow.keras.engine.input_layer import InputLayer as InputLayer
from dataflow.keras.layers.adapted import AveragePooling1D as AveragePooling1D
from dataflow.keras.layers.adapted import AveragePooling2D as AveragePooling2D
from dataflow.keras.layers.adapted import AveragePooling3D as AveragePooling3D
from dataflow.keras.layers.adapted import BatchNormalization as BatchNormalization
from dataflow.keras.layers.adapted import Conv1D as Conv1D
from dataflow.keras.layers.adapted import Conv2D as Conv2D
from dataflow.keras.layers.adapted import Conv3D as Conv3D
from dataflow.keras.layers.adapted import Dense as Dense
from dataflow.keras.layers.adapted import Dropout as Dropout
from dataflow.keras.layers.adapted import Flatten as Flatten
from dataflow.keras.layers.adapted import MaxPooling1D as MaxPooling1D
from dataflow.keras.layers.adapted import MaxPooling2D as MaxPooling2D
from dataflow.keras.layers.adapted import MaxPooling3D as MaxPooling3D
from dataflow.keras.layers.adapted import SeparableConv1D as SeparableConv1D
from dataflow.keras.layers.adapted import SeparableConv2D as SeparableConv2D
from dataflow.keras.layers.attention import AdditiveAttention as AdditiveAttention
from dataflow.keras.layers.attention import Attention as Attention
from dataflow.keras.layers.convolutional import Conv2DTranspose as Conv2DTranspose
from dataflow.keras.layers.convolutional import Conv3DTranspose as Conv3DTranspose
from dataflow.keras.layers.convolutional import Cropping1D as Cropping1D
from dataflow.keras.layers.convolutional import Cropping2D as Cropping2D
from dataflow.keras.layers.convolutional import Cropping3D as Cropping3D
from dataflow.keras.layers.convolutional import DepthwiseConv2D as DepthwiseConv2D
from dataflow.keras.layers.convolutional import UpSampling1D as UpSampling1D
from dataflow.keras.layers.convolutional import UpSampling2D as UpSampling2D
from dataflow.keras.layers.convolutional import UpSampling3D as UpSampling3D
from dataflow.keras.layers.convolutional import ZeroPadding1D as ZeroPadding1D
from dataflow.keras.layers.convolutional import ZeroPadding2D as ZeroPadding2D
from dataflow.keras.layers.convolutional import ZeroPadding3D as ZeroPadding3D
from dataflow.keras.layers.core import Activation as Activation
from dataflow.keras.layers.core import ActivityRegularization as ActivityRegularization
from dataflow.keras.layers.core import Lambda as Lambda
from dataflow.keras.layers.core import Masking as Masking
from dataflow.keras.layers.core import Permute as Permute
from dataflow.keras.layers.core import RepeatVector as RepeatVector
from dataflow.keras.layers.core import Reshape as Reshape
from dataflow.keras.layers.core import Softmax as Softmax
from dataflow.keras.layers.core import SpatialDropout1D as SpatialDropout1D
from dataflow.keras.layers.core import SpatialDropout2D as SpatialDropout2D
from dataflow.keras.layers.core import SpatialDropout3D as SpatialDropout3D
from dataflow.keras.layers.features import DenseFeatures as DenseFeatures
from dataflow.keras.layers.local import LocallyConnected1D as LocallyConnected1D
from dataflow.keras.layers.local import LocallyConnected2D as LocallyConnected2D
from dataflow.keras.layers.merge import Add as Add
from dataflow.keras.layers.merge import Average as Average
from dataflow.keras.layers.merge import Concatenate as Concatenate
from dataflow.keras.layers.merge import Dot as Dot
from dataflow.keras.layers.merge import Maximum as Maximum
from dataflow.keras.layers.merge import Minimum as Minimum
from dataflow.keras.layers.merge import Multiply as Multiply
from dataflow.keras.layers.merge import Subtract as Subtract
from dataflow.keras.layers.merge import add as add
from dataflow.keras.layers.merge import average as average
from dataflow.keras.layers.merge import concatenate as concatenate
from dataflow.keras.layers.merge import dot as dot
from dataflow.keras.layers.merge import maximum as maximum
from dataflow.keras.layers.merge import minimum as minimum
from dataflow.keras.layers.merge import multiply as multiply
from dataflow.keras.layers.merge import subtract as subtract
from dataflow.keras.layers.normalization import LayerNormalization as LayerNormalization
from dataflow.keras.layers.recurrent.cells import AbstractRNNCell as AbstractRNNCell
from dataflow.keras.layers.recurrent.cells import GRUCell as GRUCell
from dataflow.keras.layers.recurrent.cells import LSTMCell as LSTMCell
from dataflow.keras.layers.recurrent.cells import PeepholeLSTMCell as PeepholeLSTMCell
from dataflow.keras.layers.recurrent.cells import SimpleRNNCell as SimpleRNNCell
from dataflow.keras.layers.recurrent.cells import StackedRNNCells as StackedRNNCells
from dataflow.keras.layers.recurrent.convolutional import ConvLSTM2D as ConvLSTM2D
from dataflow.keras.layers.recurrent.cudnn import CuDNNGRU as CuDNNGRU
from dataflow.keras.layers.recurrent.cudnn import CuDNNLSTM as CuDNNLSTM
from dataflow.keras.layers.recurrent.layers import GRU as GRU
from dataflow.keras.layers.recurrent.layers import LSTM as LSTM
from dataflow.keras.layers.recurrent.layers import SimpleRNN as SimpleRNN
from dataflow.keras.layers.recurrent.rnn import RNN as RNN
from dataflow.keras.layers.simple import ELU as ELU
from dataflow.keras.layers.simple import AlphaDropout as AlphaDropout
from dataflow.keras.layers.simple import Embedding as Embedding
from dataflow.keras.layers.simple import GaussianDropout as GaussianDropout
from dataflow.keras.layers.simple import GaussianNoise as GaussianNoise
from dataflow.keras.layers.simple import GlobalAveragePooling1D as GlobalAveragePooling1D
from dataflow.keras.layers.simple import GlobalAveragePooling2D as GlobalAveragePooling2D
from dataflow.keras.layers.simple import GlobalAveragePooling3D as GlobalAveragePooling3D
from dataflow.keras.layers.simple import GlobalMaxPooling1D as GlobalMaxPooling1D
from dataflow.keras.layers.simple import GlobalMaxPooling2D as GlobalMaxPooling2D
from dataflow.keras.layers.simple import GlobalMaxPooling3D as GlobalMaxPooling3D
from dataflow.keras.layers.simple import LeakyReLU as LeakyReLU
from dataflow.keras.layers.simple import PReLU as PReLU
from dataflow.keras.layers.simple import ReLU as ReLU
from dataflow.keras.layers.simple import ThresholdedReLU as ThresholdedReLU
from dataflow.keras.layers.wrappers import Bidirectional as Bidirectional
from dataflow.keras.layers.wrappers import TimeDistributed as TimeDistributed
from dataflow.keras.layers.wrappers import Wrapper as Wrapper
from dataflow.keras.objects import deserialize_keras_object, serialize_keras_object
from dataflow.library.layers.input_spec import InputSpec as InputSpec

AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution2DTranspose = Conv2DTranspose
Convolution3D = Conv3D
Convolution3DTranspose = Conv3DTranspose
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D


def serialize(layer: Any) -> Any:
    """The class and configuration of a layer."""
    return serialize_keras_object(layer)


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The layer of these, or the model."""
    from dataflow.keras.engine.ancillary import AddLoss, AddMetric
    from dataflow.keras.engine.network import Network
    from dataflow.keras.engine.op_layer import TensorFlowOpLayer
    from dataflow.keras.engine.sequential import Sequential
    from dataflow.keras.engine.training import Model

    further = (AddLoss, AddMetric, Model, Network, Sequential, TensorFlowOpLayer)
    names = {**globals(), **{each.__name__: each for each in further}}
    names["BatchNormalizationV1"] = BatchNormalization
    return deserialize_keras_object(config, names, custom_objects, "layer")
