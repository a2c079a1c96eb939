"""tf.contrib.layers: layers as functions, their initial values and losses of weights."""

import dataflow.contrib.layers.collections as _collections
import dataflow.contrib.layers.linear as _linear
import dataflow.ops.nn.activation as _activation
from dataflow.contrib.layers.initializers import (
    variance_scaling_initializer as variance_scaling_initializer,
)
from dataflow.contrib.layers.initializers import xavier_initializer as xavier_initializer
from dataflow.contrib.layers.initializers import (
    xavier_initializer_conv2d as xavier_initializer_conv2d,
)
from dataflow.contrib.layers.linear import conv2d_transpose as conv2d_transpose
from dataflow.contrib.layers.linear import conv3d_transpose as conv3d_transpose
from dataflow.contrib.layers.linear import convolution as convolution
from dataflow.contrib.layers.linear import convolution1d as convolution1d
from dataflow.contrib.layers.linear import convolution2d as convolution2d
from dataflow.contrib.layers.linear import convolution3d as convolution3d
from dataflow.contrib.layers.linear import fully_connected as fully_connected
from dataflow.contrib.layers.normalization import batch_norm as batch_norm
from dataflow.contrib.layers.normalization import layer_norm as layer_norm
from dataflow.contrib.layers.optimizers import OPTIMIZER_CLS_NAMES as OPTIMIZER_CLS_NAMES
from dataflow.contrib.layers.optimizers import OPTIMIZER_SUMMARIES as OPTIMIZER_SUMMARIES
from dataflow.contrib.layers.optimizers import optimize_loss as optimize_loss
from dataflow.contrib.layers.plain import avg_pool2d as avg_pool2d
from dataflow.contrib.layers.plain import bias_add as bias_add
from dataflow.contrib.layers.plain import dropout as dropout
from dataflow.contrib.layers.plain import flatten as flatten
from dataflow.contrib.layers.plain import max_pool2d as max_pool2d
from dataflow.contrib.layers.plain import one_hot_encoding as one_hot_encoding
from dataflow.contrib.layers.plain import repeat as repeat
from dataflow.contrib.layers.plain import softmax as softmax
from dataflow.contrib.layers.plain import stack as stack
from dataflow.contrib.layers.regularizers import apply_regularization as apply_regularization
from dataflow.contrib.layers.regularizers import l1_l2_regularizer as l1_l2_regularizer
from dataflow.contrib.layers.regularizers import l1_regularizer as l1_regularizer
from dataflow.contrib.layers.regularizers import l2_regularizer as l2_regularizer
from dataflow.contrib.layers.regularizers import sum_regularizer as sum_regularizer

conv1d = _linear.convolution1d
conv2d = _linear.convolution2d
conv3d = _linear.convolution3d
convolution2d_transpose = _linear.conv2d_transpose
convolution3d_transpose = _linear.conv3d_transpose
elu = _activation.elu
relu = _activation.relu
relu6 = _activation.relu6
utils = _collections
