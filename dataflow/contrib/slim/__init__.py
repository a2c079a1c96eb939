"""tf.contrib.slim: layers, scopes of arguments and variables of models under one name."""

from dataflow.contrib import layers as _layers
from dataflow.contrib.framework import add_arg_scope as add_arg_scope
from dataflow.contrib.framework import add_model_variable as add_model_variable
from dataflow.contrib.framework import arg_scope as arg_scope
from dataflow.contrib.framework import arg_scoped_arguments as arg_scoped_arguments
from dataflow.contrib.framework import assign_from_checkpoint as assign_from_checkpoint
from dataflow.contrib.framework import assign_from_checkpoint_fn as assign_from_checkpoint_fn
from dataflow.contrib.framework import assign_from_values as assign_from_values
from dataflow.contrib.framework import assign_from_values_fn as assign_from_values_fn
from dataflow.contrib.framework import create_global_step as create_global_step
from dataflow.contrib.framework import filter_variables as filter_variables
from dataflow.contrib.framework import get_global_step as get_global_step
from dataflow.contrib.framework import get_local_variables as get_local_variables
from dataflow.contrib.framework import get_model_variables as get_model_variables
from dataflow.contrib.framework import get_or_create_global_step as get_or_create_global_step
from dataflow.contrib.framework import get_trainable_variables as get_trainable_variables
from dataflow.contrib.framework import get_unique_variable as get_unique_variable
from dataflow.contrib.framework import get_variable_full_name as get_variable_full_name
from dataflow.contrib.framework import get_variables as get_variables
from dataflow.contrib.framework import get_variables_by_name as get_variables_by_name
from dataflow.contrib.framework import get_variables_by_suffix as get_variables_by_suffix
from dataflow.contrib.framework import get_variables_to_restore as get_variables_to_restore
from dataflow.contrib.framework import has_arg_scope as has_arg_scope
from dataflow.contrib.framework import model_variable as model_variable
from dataflow.contrib.framework import variable as variable
from dataflow.contrib.layers import apply_regularization as apply_regularization
from dataflow.contrib.layers import avg_pool2d as avg_pool2d
from dataflow.contrib.layers import batch_norm as batch_norm
from dataflow.contrib.layers import bias_add as bias_add
from dataflow.contrib.layers import conv2d_transpose as conv2d_transpose
from dataflow.contrib.layers import conv3d_transpose as conv3d_transpose
from dataflow.contrib.layers import convolution as convolution
from dataflow.contrib.layers import convolution1d as convolution1d
from dataflow.contrib.layers import convolution2d as convolution2d
from dataflow.contrib.layers import convolution3d as convolution3d
from dataflow.contrib.layers import dropout as dropout
from dataflow.contrib.layers import flatten as flatten
from dataflow.contrib.layers import fully_connected as fully_connected
from dataflow.contrib.layers import l1_l2_regularizer as l1_l2_regularizer
from dataflow.contrib.layers import l1_regularizer as l1_regularizer
from dataflow.contrib.layers import l2_regularizer as l2_regularizer
from dataflow.contrib.layers import layer_norm as layer_norm
from dataflow.contrib.layers import max_pool2d as max_pool2d
from dataflow.contrib.layers import one_hot_encoding as one_hot_encoding
from dataflow.contrib.layers import repeat as repeat
from dataflow.contrib.layers import softmax as softmax
from dataflow.contrib.layers import stack as stack
from dataflow.contrib.layers import sum_regularizer as sum_regularizer
from dataflow.contrib.layers import utils as utils
from dataflow.contrib.layers import variance_scaling_initializer as variance_scaling_initializer
from dataflow.contrib.layers import xavier_initializer as xavier_initializer
from dataflow.contrib.slim import data_decoder as data_decoder
from dataflow.contrib.slim import data_provider as data_provider
from dataflow.contrib.slim import dataset as dataset
from dataflow.contrib.slim import dataset_data_provider as dataset_data_provider
from dataflow.contrib.slim import learning as learning
from dataflow.contrib.slim import parallel_reader as parallel_reader
from dataflow.contrib.slim import prefetch_queue as prefetch_queue
from dataflow.contrib.slim import tfexample_decoder as tfexample_decoder

conv1d = _layers.conv1d
conv2d = _layers.conv2d
conv3d = _layers.conv3d
convolution2d_transpose = _layers.conv2d_transpose
model_variables = get_model_variables
