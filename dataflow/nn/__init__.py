"""tf.nn: neural network functions under TensorFlow's names."""

from dataflow.library.ctc import collapse_repeated as collapse_repeated
from dataflow.library.ctc import ctc_loss_v2 as ctc_loss_v2
from dataflow.library.ctc import ctc_unique_labels as ctc_unique_labels
from dataflow.library.distribution.averages import compute_average_loss as compute_average_loss
from dataflow.library.distribution.averages import (
    scale_regularization_loss as scale_regularization_loss,
)
from dataflow.library.embedding import embedding_lookup as embedding_lookup
from dataflow.library.embedding_sparse import embedding_lookup_sparse as embedding_lookup_sparse
from dataflow.library.embedding_sparse import (
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from dataflow.library.rnn.dynamic import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from dataflow.library.rnn.dynamic import dynamic_rnn as dynamic_rnn
from dataflow.library.rnn.raw import raw_rnn as raw_rnn
from dataflow.library.rnn.static import static_bidirectional_rnn as static_bidirectional_rnn
from dataflow.library.rnn.static import static_rnn as static_rnn
from dataflow.library.rnn.static import static_state_saving_rnn as static_state_saving_rnn
from dataflow.library.sampled_losses import nce_loss as nce_loss
from dataflow.library.sampled_losses import sampled_softmax_loss as sampled_softmax_loss
from dataflow.library.sparsity import zero_fraction as zero_fraction
from dataflow.library.swish import silu as silu
from dataflow.library.swish import swish as swish
from dataflow.nn import rnn_cell as rnn_cell
from dataflow.ops.array.space import depth_to_space as depth_to_space
from dataflow.ops.array.space import space_to_batch as space_to_batch
from dataflow.ops.array.space import space_to_depth as space_to_depth
from dataflow.ops.math.sigmoid import sigmoid as sigmoid
from dataflow.ops.math.trig import tanh as tanh
from dataflow.ops.nn.activation import crelu as crelu
from dataflow.ops.nn.activation import elu as elu
from dataflow.ops.nn.activation import leaky_relu as leaky_relu
from dataflow.ops.nn.activation import relu as relu
from dataflow.ops.nn.activation import relu6 as relu6
from dataflow.ops.nn.activation import selu as selu
from dataflow.ops.nn.activation import softplus as softplus
from dataflow.ops.nn.activation import softsign as softsign
from dataflow.ops.nn.batch_norm import fused_batch_norm as fused_batch_norm
from dataflow.ops.nn.bias import bias_add as bias_add
from dataflow.ops.nn.bias import relu_layer as relu_layer
from dataflow.ops.nn.bias import xw_plus_b as xw_plus_b
from dataflow.ops.nn.convolution import atrous_conv2d as atrous_conv2d
from dataflow.ops.nn.convolution import conv1d as conv1d
from dataflow.ops.nn.convolution import conv2d as conv2d
from dataflow.ops.nn.convolution import conv3d as conv3d
from dataflow.ops.nn.convolution import convolution as convolution
from dataflow.ops.nn.convolution_gradient import conv2d_backprop_filter as conv2d_backprop_filter
from dataflow.ops.nn.convolution_gradient import conv2d_backprop_input as conv2d_backprop_input
from dataflow.ops.nn.convolution_gradient import conv3d_backprop_filter as conv3d_backprop_filter
from dataflow.ops.nn.convolution_gradient import (
    conv3d_backprop_filter_v2 as conv3d_backprop_filter_v2,
)
from dataflow.ops.nn.convolution_transpose import atrous_conv2d_transpose as atrous_conv2d_transpose
from dataflow.ops.nn.convolution_transpose import conv1d_transpose as conv1d_transpose
from dataflow.ops.nn.convolution_transpose import conv2d_transpose as conv2d_transpose
from dataflow.ops.nn.convolution_transpose import conv3d_transpose as conv3d_transpose
from dataflow.ops.nn.convolution_transpose import conv_transpose as conv_transpose
from dataflow.ops.nn.dilation import dilation2d as dilation2d
from dataflow.ops.nn.dilation import erosion2d as erosion2d
from dataflow.ops.nn.fractional import fractional_avg_pool as fractional_avg_pool
from dataflow.ops.nn.fractional import fractional_max_pool as fractional_max_pool
from dataflow.ops.nn.losses import log_poisson_loss as log_poisson_loss
from dataflow.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
)
from dataflow.ops.nn.losses import (
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
)
from dataflow.ops.nn.losses import (
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
)
from dataflow.ops.nn.losses import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from dataflow.ops.nn.losses import (
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from dataflow.ops.nn.lrn import local_response_normalization as local_response_normalization
from dataflow.ops.nn.lrn import lrn as lrn
from dataflow.ops.nn.moments import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
)
from dataflow.ops.nn.moments import batch_normalization as batch_normalization
from dataflow.ops.nn.moments import l2_normalize as l2_normalize
from dataflow.ops.nn.moments import moments as moments
from dataflow.ops.nn.moments import normalize_moments as normalize_moments
from dataflow.ops.nn.moments import sufficient_statistics as sufficient_statistics
from dataflow.ops.nn.moments import weighted_moments as weighted_moments
from dataflow.ops.nn.pooling import avg_pool as avg_pool
from dataflow.ops.nn.pooling import avg_pool1d as avg_pool1d
from dataflow.ops.nn.pooling import avg_pool2d as avg_pool2d
from dataflow.ops.nn.pooling import avg_pool3d as avg_pool3d
from dataflow.ops.nn.pooling import max_pool as max_pool
from dataflow.ops.nn.pooling import max_pool1d as max_pool1d
from dataflow.ops.nn.pooling import max_pool2d as max_pool2d
from dataflow.ops.nn.pooling import max_pool3d as max_pool3d
from dataflow.ops.nn.pooling import max_pool_with_argmax as max_pool_with_argmax
from dataflow.ops.nn.pooling_nd import avg_pool_v2 as avg_pool_v2
from dataflow.ops.nn.pooling_nd import max_pool_v2 as max_pool_v2
from dataflow.ops.nn.pooling_nd import pool as pool
from dataflow.ops.nn.separable import depthwise_conv2d as depthwise_conv2d
from dataflow.ops.nn.separable import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
)
from dataflow.ops.nn.separable import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
)
from dataflow.ops.nn.separable import depthwise_conv2d_native as depthwise_conv2d_native
from dataflow.ops.nn.separable import (
    depthwise_conv2d_native_backprop_filter as depthwise_conv2d_native_backprop_filter,
)
from dataflow.ops.nn.separable import (
    depthwise_conv2d_native_backprop_input as depthwise_conv2d_native_backprop_input,
)
from dataflow.ops.nn.separable import separable_conv2d as separable_conv2d
from dataflow.ops.nn.softmax import log_softmax as log_softmax
from dataflow.ops.nn.softmax import softmax as softmax
from dataflow.ops.nn.space_to_batch import with_space_to_batch as with_space_to_batch
from dataflow.ops.nn.sparsity import dropout as dropout
from dataflow.ops.nn.topk import approx_max_k as approx_max_k
from dataflow.ops.nn.topk import approx_min_k as approx_min_k
from dataflow.ops.nn.topk import in_top_k as in_top_k
from dataflow.ops.nn.topk import top_k as top_k
from dataflow.ops.quantization.layers import quantized_avg_pool as quantized_avg_pool
from dataflow.ops.quantization.layers import quantized_conv2d as quantized_conv2d
from dataflow.ops.quantization.layers import quantized_max_pool as quantized_max_pool
from dataflow.ops.random.candidates import all_candidate_sampler as all_candidate_sampler
from dataflow.ops.random.candidates import compute_accidental_hits as compute_accidental_hits
from dataflow.ops.random.candidates import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from dataflow.ops.random.candidates import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from dataflow.ops.random.candidates import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from dataflow.ops.random.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from dataflow.ops.reductions.statistics import l2_loss as l2_loss
from dataflow.ops.sequences.ctc import ctc_beam_search_decoder as ctc_beam_search_decoder
from dataflow.ops.sequences.ctc import ctc_beam_search_decoder_v2 as ctc_beam_search_decoder_v2
from dataflow.ops.sequences.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from dataflow.ops.sequences.ctc import ctc_loss as ctc_loss
