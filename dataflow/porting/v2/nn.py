"""tf.compat.v2.nn where it is not tf.nn."""

from __future__ import annotations

from typing import Any, Final

from dataflow.porting.v2.convolutions import conv1d as conv1d
from dataflow.porting.v2.convolutions import conv2d as conv2d
from dataflow.porting.v2.convolutions import conv2d_transpose as conv2d_transpose
from dataflow.porting.v2.convolutions import conv3d as conv3d
from dataflow.porting.v2.convolutions import conv3d_transpose as conv3d_transpose
from dataflow.porting.v2.convolutions import convolution as convolution
from dataflow.porting.v2.convolutions import depth_to_space as depth_to_space
from dataflow.porting.v2.convolutions import depthwise_conv2d as depthwise_conv2d
from dataflow.porting.v2.convolutions import dilation2d as dilation2d
from dataflow.porting.v2.convolutions import erosion2d as erosion2d
from dataflow.porting.v2.convolutions import fractional_avg_pool as fractional_avg_pool
from dataflow.porting.v2.convolutions import fractional_max_pool as fractional_max_pool
from dataflow.porting.v2.convolutions import max_pool_with_argmax as max_pool_with_argmax
from dataflow.porting.v2.convolutions import pool as pool
from dataflow.porting.v2.convolutions import separable_conv2d as separable_conv2d
from dataflow.porting.v2.convolutions import space_to_batch as space_to_batch
from dataflow.porting.v2.convolutions import space_to_depth as space_to_depth
from dataflow.porting.v2.math import in_top_k as in_top_k
from dataflow.porting.v2.math import l2_normalize as l2_normalize
from dataflow.porting.v2.math import log_softmax as log_softmax
from dataflow.porting.v2.math import softmax as softmax
from dataflow.porting.v2.respell import respelled

_IN_RUNS: Final = {"partition_strategy": "div"}
"""Each part of a table has ids that follow one another; in TensorFlow 1 they go around."""

avg_pool = respelled("nn.avg_pool_v2", "input ksize strides padding", data_format=None, name=None)
avg_pool2d = respelled(
    "nn.avg_pool2d", "input:value ksize strides padding", data_format="NHWC", name=None
)
batch_norm_with_global_normalization = respelled(
    "nn.batch_norm_with_global_normalization",
    "input mean variance beta gamma variance_epsilon scale_after_normalization",
    name=None,
)
crelu = respelled("nn.crelu", "features", axis=-1, name=None)
ctc_beam_search_decoder = respelled(
    "nn.ctc_beam_search_decoder_v2", "inputs sequence_length", beam_width=100, top_paths=1
)
ctc_loss = respelled(
    "nn.ctc_loss_v2",
    "labels logits label_length logit_length",
    logits_time_major=True,
    unique=None,
    blank_index=None,
    name=None,
)
dropout = respelled("nn.dropout", "x rate", noise_shape=None, seed=None, name=None)
embedding_lookup = respelled(
    "nn.embedding_lookup", "params ids", max_norm=None, name=None, fixed=_IN_RUNS
)
embedding_lookup_sparse = respelled(
    "nn.embedding_lookup_sparse",
    "params sp_ids sp_weights",
    combiner="mean",
    max_norm=None,
    name=None,
    fixed=_IN_RUNS,
)
max_pool = respelled("nn.max_pool_v2", "input ksize strides padding", data_format=None, name=None)
moments = respelled("nn.moments", "x axes", shift=None, keepdims=False, name=None)
nce_loss = respelled(
    "nn.nce_loss",
    "weights biases labels inputs num_sampled num_classes",
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=False,
    name="nce_loss",
    fixed=_IN_RUNS,
)
safe_embedding_lookup_sparse = respelled(
    "nn.safe_embedding_lookup_sparse",
    "embedding_weights sparse_ids",
    sparse_weights=None,
    combiner="mean",
    default_id=None,
    max_norm=None,
    name=None,
    fixed=_IN_RUNS,
)
sampled_softmax_loss = respelled(
    "nn.sampled_softmax_loss",
    "weights biases labels inputs num_sampled num_classes",
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=True,
    seed=None,
    name="sampled_softmax_loss",
    fixed=_IN_RUNS,
)
softmax_cross_entropy_with_logits = respelled(
    "nn.softmax_cross_entropy_with_logits_v2", "labels logits", axis=-1, name=None
)
sufficient_statistics = respelled(
    "nn.sufficient_statistics", "x axes", shift=None, keepdims=False, name=None
)
weighted_cross_entropy_with_logits = respelled(
    "nn.weighted_cross_entropy_with_logits", "labels logits pos_weight", name=None
)
weighted_moments = respelled(
    "nn.weighted_moments", "x axes frequency_weights", keepdims=False, name=None
)
_sigmoid = respelled("nn.sigmoid_cross_entropy_with_logits", "labels logits", name=None)
_sparse_softmax = respelled(
    "nn.sparse_softmax_cross_entropy_with_logits", "labels logits", name=None
)


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """`tf.nn.sigmoid_cross_entropy_with_logits`, whose arguments need no names."""
    return _sigmoid(labels, logits, name)


def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Any:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits`, whose arguments need no names."""
    return _sparse_softmax(labels, logits, name)
