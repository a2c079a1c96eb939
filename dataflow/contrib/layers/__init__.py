"""tf.contrib.layers: layers as functions, their initial values and losses of weights."""

import dataflow.contrib.layers.depthwise as _depthwise
import dataflow.contrib.layers.linear as _linear
from dataflow.contrib.layers import utils as utils
from dataflow.contrib.layers.columns.crosses import (
    SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY as SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY,
)
from dataflow.contrib.layers.columns.crosses import sparse_feature_cross as sparse_feature_cross
from dataflow.contrib.layers.columns.scattered import (
    scattered_embedding_column as scattered_embedding_column,
)
from dataflow.contrib.layers.columns.sequences import (
    parse_feature_columns_from_sequence_examples as parse_feature_columns_from_sequence_examples,
)
from dataflow.contrib.layers.columns.sequences import (
    sequence_input_from_feature_columns as sequence_input_from_feature_columns,
)
from dataflow.contrib.layers.depthwise import convolution2d_in_plane as convolution2d_in_plane
from dataflow.contrib.layers.depthwise import separable_convolution2d as separable_convolution2d
from dataflow.contrib.layers.divisive_normalization import GDN as GDN
from dataflow.contrib.layers.divisive_normalization import gdn as gdn
from dataflow.contrib.layers.encoders import bow_encoder as bow_encoder
from dataflow.contrib.layers.encoders import embed_sequence as embed_sequence
from dataflow.contrib.layers.encoders import embedding_lookup_unique as embedding_lookup_unique
from dataflow.contrib.layers.feature_column_ops import (
    check_feature_columns as check_feature_columns,
)
from dataflow.contrib.layers.feature_column_ops import (
    infer_real_valued_columns as infer_real_valued_columns,
)
from dataflow.contrib.layers.feature_column_ops import (
    input_from_feature_columns as input_from_feature_columns,
)
from dataflow.contrib.layers.feature_column_ops import (
    joint_weighted_sum_from_feature_columns as joint_weighted_sum_from_feature_columns,
)
from dataflow.contrib.layers.feature_column_ops import (
    parse_feature_columns_from_examples as parse_feature_columns_from_examples,
)
from dataflow.contrib.layers.feature_column_ops import (
    transform_features as transform_features,
)
from dataflow.contrib.layers.feature_column_ops import (
    weighted_sum_from_feature_columns as weighted_sum_from_feature_columns,
)
from dataflow.contrib.layers.feature_columns import (
    bucketized_column as bucketized_column,
)
from dataflow.contrib.layers.feature_columns import (
    create_feature_spec_for_parsing as create_feature_spec_for_parsing,
)
from dataflow.contrib.layers.feature_columns import (
    crossed_column as crossed_column,
)
from dataflow.contrib.layers.feature_columns import (
    embedding_column as embedding_column,
)
from dataflow.contrib.layers.feature_columns import (
    make_place_holder_tensors_for_base_features as make_place_holder_tensors_for_base_features,
)
from dataflow.contrib.layers.feature_columns import (
    one_hot_column as one_hot_column,
)
from dataflow.contrib.layers.feature_columns import (
    real_valued_column as real_valued_column,
)
from dataflow.contrib.layers.feature_columns import (
    shared_embedding_columns as shared_embedding_columns,
)
from dataflow.contrib.layers.feature_columns import (
    sparse_column_with_hash_bucket as sparse_column_with_hash_bucket,
)
from dataflow.contrib.layers.feature_columns import (
    sparse_column_with_integerized_feature as sparse_column_with_integerized_feature,
)
from dataflow.contrib.layers.feature_columns import (
    sparse_column_with_keys as sparse_column_with_keys,
)
from dataflow.contrib.layers.feature_columns import (
    sparse_column_with_vocabulary_file as sparse_column_with_vocabulary_file,
)
from dataflow.contrib.layers.feature_columns import (
    weighted_sparse_column as weighted_sparse_column,
)
from dataflow.contrib.layers.group_normalization import group_norm as group_norm
from dataflow.contrib.layers.group_normalization import instance_norm as instance_norm
from dataflow.contrib.layers.initializers import (
    variance_scaling_initializer as variance_scaling_initializer,
)
from dataflow.contrib.layers.initializers import xavier_initializer as xavier_initializer
from dataflow.contrib.layers.initializers import (
    xavier_initializer_conv2d as xavier_initializer_conv2d,
)
from dataflow.contrib.layers.legacy import elu as elu
from dataflow.contrib.layers.legacy import legacy_fully_connected as legacy_fully_connected
from dataflow.contrib.layers.legacy import legacy_linear as legacy_linear
from dataflow.contrib.layers.legacy import legacy_relu as legacy_relu
from dataflow.contrib.layers.legacy import linear as linear
from dataflow.contrib.layers.legacy import relu as relu
from dataflow.contrib.layers.legacy import relu6 as relu6
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
from dataflow.contrib.layers.plain import dense_to_sparse as dense_to_sparse
from dataflow.contrib.layers.plain import dropout as dropout
from dataflow.contrib.layers.plain import flatten as flatten
from dataflow.contrib.layers.plain import max_pool2d as max_pool2d
from dataflow.contrib.layers.plain import one_hot_encoding as one_hot_encoding
from dataflow.contrib.layers.plain import repeat as repeat
from dataflow.contrib.layers.plain import softmax as softmax
from dataflow.contrib.layers.plain import stack as stack
from dataflow.contrib.layers.pooling import avg_pool3d as avg_pool3d
from dataflow.contrib.layers.pooling import max_pool3d as max_pool3d
from dataflow.contrib.layers.pooling import pool as pool
from dataflow.contrib.layers.recomputation import recompute_grad as recompute_grad
from dataflow.contrib.layers.regularizers import apply_regularization as apply_regularization
from dataflow.contrib.layers.regularizers import l1_l2_regularizer as l1_l2_regularizer
from dataflow.contrib.layers.regularizers import l1_regularizer as l1_regularizer
from dataflow.contrib.layers.regularizers import l2_regularizer as l2_regularizer
from dataflow.contrib.layers.regularizers import sum_regularizer as sum_regularizer
from dataflow.contrib.layers.reversible import RevBlock as RevBlock
from dataflow.contrib.layers.reversible import rev_block as rev_block
from dataflow.contrib.layers.shapes_and_norms import images_to_sequence as images_to_sequence
from dataflow.contrib.layers.shapes_and_norms import maxout as maxout
from dataflow.contrib.layers.shapes_and_norms import poincare_normalize as poincare_normalize
from dataflow.contrib.layers.shapes_and_norms import scale_gradient as scale_gradient
from dataflow.contrib.layers.shapes_and_norms import sequence_to_images as sequence_to_images
from dataflow.contrib.layers.shapes_and_norms import spatial_softmax as spatial_softmax
from dataflow.contrib.layers.shapes_and_norms import unit_norm as unit_norm
from dataflow.contrib.layers.summaries import summarize_activation as summarize_activation
from dataflow.contrib.layers.summaries import summarize_activations as summarize_activations
from dataflow.contrib.layers.summaries import summarize_biases as summarize_biases
from dataflow.contrib.layers.summaries import summarize_collection as summarize_collection
from dataflow.contrib.layers.summaries import summarize_tensor as summarize_tensor
from dataflow.contrib.layers.summaries import summarize_tensors as summarize_tensors
from dataflow.contrib.layers.summaries import summarize_variables as summarize_variables
from dataflow.contrib.layers.summaries import summarize_weights as summarize_weights
from dataflow.contrib.layers.targets import multi_class_target as multi_class_target
from dataflow.contrib.layers.targets import regression_target as regression_target
from dataflow.library.embedding_sparse import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)

conv1d = _linear.convolution1d
conv2d = _linear.convolution2d
conv3d = _linear.convolution3d
convolution2d_transpose = _linear.conv2d_transpose
convolution3d_transpose = _linear.conv3d_transpose
conv2d_in_plane = _depthwise.convolution2d_in_plane
separable_conv2d = _depthwise.separable_convolution2d
