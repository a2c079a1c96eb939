"""What 1.15 says of layers of nets, products, orders and gradients, where 2.21 has other words."""

from __future__ import annotations

from typing import Final

PAIRS: Final = (
    (
        r"`num_spatial_dims` must be 1, 2, or 3\. Received: num_spatial_dims=4\.",
        "Input tensor must be of rank 3, 4 or 5 but was 6.",
    ),
    (
        r"`rate` (must be a scalar tensor or a float in the range .*)\. Received: rate=(\d+)\.0",
        r"rate \1, got \2",
    ),
    (
        r"`keep_prob` must be a floating point number or Tensor\. Received: keep_prob=([a-z]+)",
        r"keep_prob must be a floating point number or Tensor (got '\1')",
    ),
    (
        r"Full shape received: \((?:Dimension\()?(\w+)\)?, (?:Dimension\()?(\w+)\)?, "
        r"(?:Dimension\()?(\w+)\)?\)",
        r"Full shape received: [\1, \2, \3]",
    ),
    (
        r"Full shape received: \((?:Dimension\()?(\w+)\)?, (?:Dimension\()?(\w+)\)?\)",
        r"Full shape received: [\1, \2]",
    ),
    (
        r"Full shape received: \((?:Dimension\()?(\w+)\)?,\)",
        r"Full shape received: [\1]",
    ),
    (
        r"(Causal padding is only supported for `Conv1D`and) `SeparableConv1D`",
        r"\1 ``SeparableConv1D`",
    ),
    (
        r"(\w+ should be of length 1, \d or \d)\. Received: .* of length (\d+)",
        r"\1 but was \2",
    ),
    (
        r"When `padding` is a list, each element of `padding` must be a list/tuple of size 2\. "
        r"Received: .* with element at index (\d+) of size (\d+)",
        "When padding is a list, each element of padding must be a list/tuple of size 2. Element "
        r"with index \1 of padding has size \2",
    ),
    (
        r"When `padding` is a list, each element of `padding` must be a list/tuple of size 2\. "
        r"Received: .* with element at index (\d+) of type .*",
        "When padding is a list, each element of padding must be a list/tuple of size 2. Element "
        r"with index \1 of padding is not a list/tuple",
    ),
    (
        r"(When padding is a list, it must be of size \d\.) Received: .* of size (\d+)",
        r"\1 Got padding of size: \2",
    ),
    (
        r"`data_format` must be 'NWC' or 'NCW'\. Received: .*",
        'data_format must be "NWC" or "NCW".',
    ),
    (r"(data_format must be either 'NWC' or 'NCW'\.) Received: .*", r"\1"),
    (
        r"`output_shape` must be a tensor or sized collection\. Received: .*",
        "output_shape must be a tensor or sized collection.",
    ),
    (
        r"`output_shape` must be of length 3, 4 or 5\. Received: .* of length (\w+)\.",
        r"output_shape must be of length 3, 4 or 5 but was \1.",
    ),
    (r"`rate` cannot be less than one\. Received: rate=(.*)", r"rate \1 cannot be less than one"),
    (
        r"`output_shape` must have shape \(4,\)\. Received: output_shape=(.*)",
        r"output_shape must have shape (4,), got \1",
    ),
    (
        r"`padding` must be either 'VALID' or 'SAME'\. Received: padding=(.*)",
        r"padding must be either VALID or SAME: \1",
    ),
    (
        r"`value` channel count must be compatible with `filters` input channel count\. .* with "
        r"channel count (\d+) and .* with input channel count (\d+)\.",
        r"value's input channels does not match filters' input channels, \1 != \2",
    ),
    (
        r"`output_shape` channel count must be compatible with `filters` output channel count\. .* "
        r"with channel count (\d+) and .* with output channel count (\d+)\.",
        r"output_shape does not match filter's output channels, \1 != \2",
    ),
    (
        r"`input\.shape\.rank` must be 3, 4 or 5\. Received: .* of rank (\d+)\.",
        r"Input tensor must be of rank 3, 4 or 5 but was \1.",
    ),
    (
        r"`len\(window_shape\)` must be 1, 2, or 3\. Received: .*",
        "It is required that 1 <= num_spatial_dims <= 3.",
    ),
    (
        r"`strides > 1` (not supported in conjunction with) `dilation_rate > 1`\. Received: .*",
        r"strides > 1 \1 dilation_rate > 1",
    ),
    (
        r"pooling with 'SAME' (padding is not implemented for) `dilation_rate` > 1\. Received: .*",
        r"pooling with SAME \1 dilation_rate > 1",
    ),
    (
        r"`strides` > `window_shape` (not supported due to .* implementations)\. Received: .*",
        r"strides > window_shape \1",
    ),
    (
        r"`len\((\w+)\)` should be (\d)\. Received: .* of length (\d+)",
        r"len(\1)=\3 but should be \2",
    ),
    (
        r"all values of `(\w+)` must be positive\. Received: .*",
        r"all values of \1 must be positive",
    ),
    (r"`dilation_rate\.shape\.rank` must be 1\. Received: .*", "rate must be rank 1"),
    (
        r"`dilation_rate\.shape` must be fully defined\. Received: .*",
        "rate must have known shape",
    ),
    (r"`dilation_rate` must be positive\. Received: .*", "dilation_rate must be positive"),
    (
        r"`spatial_dims` must be a monotonically (increasing sequence of positive integers)\. .*",
        r"spatial_dims must be a montonically \1",
    ),
    (
        r"`input\.shape\.rank` must be at least (\d+)\. Received: .*",
        r"input tensor must have rank \1 at least",
    ),
    (
        r"`filter_shape` must be specified for `padding='SAME'`\. Received: .*",
        "filter_shape must be specified for SAME padding",
    ),
    (
        r"`padding` must be one of 'SAME' or 'VALID'\. Received: padding=(.*)",
        r"Invalid padding method '\1'",
    ),
    (
        r"`data_format` (must be of the form `N\.\.\.C` or `NC\.\.\.`)\. Received: .*",
        r"data_format \1",
    ),
    (r"`ksize` cannot be zero\. Received: .*", "ksize cannot be zero."),
    (
        r"`data_format` values other  than 'NHWC' are not supported\. Received: .*",
        "Data formats other than 'NHWC' are not yet supported",
    ),
    (
        r"When `num_spatial_dims` is not set, one of .* must be known\. Received: .*",
        "rank of input or filter must be known",
    ),
    (
        r"`dim` (must be in the range .* in the input\.) Received: dim=(-?\d+)",
        r"Dimension (\2) \1",
    ),
    (
        r"`keep_prob` must be a floating point number or Tensor\. Received: keep_prob=(.*)",
        r"keep_prob must be a floating point number or Tensor (got \1)",
    ),
    (r"`rate` must be provided\. Received: .*", "You must provide a rate to dropout."),
    (
        r"`x\.dtype` must be a floating point tensor as `x` will be scaled\. Received: "
        r"x_dtype=(.*)",
        r"x has to be a floating point tensor since it's going to be scaled. Got a \1 tensor "
        "instead.",
    ),
    (
        r"Both `labels` and `logits` must be provided[\s\S]*",
        "Both labels and logits must be provided.",
    ),
    (
        r"`(\w+)` and `(\w+)` must have the same shape, received (\(.*\))\.",
        r"\1 and \2 must have the same shape \3",
    ),
    (
        r"Argument `direction` (should be one of ASCENDING, DESCENDING)\. Received: direction=(.*)",
        r"\2 \1",
    ),
    (
        r"Expected argument `labels` to be a SparseTensor\. Received [\s\S]*",
        "Expected labels (first argument) to be a SparseTensor",
    ),
    (
        r"Argument `blank_index` must be provided when labels is a SparseTensor\.",
        "blank_index must be given when using SparseTensor labels.",
    ),
    (
        r"Invalid `aggregation_method` specified (.*)\. Accepted.*",
        r"Invalid aggregation_method specified \1.",
    ),
    (r"No gradient defined for operation'", "No gradient defined for operation '"),
    (
        r"Incompatible tensor conversion requested to `dtype` (\w+) for `value` \(([\s\S]*)\) with "
        r"dtype (\w+)\.",
        r"Tensor conversion requested dtype \1 for Tensor with dtype \3: \2",
    ),
    (
        r"Incompatible tensor conversion requested to `dtype` (\w+) for IndexedSlices "
        r"[\s\S]* with dtype (\w+)",
        r"Tensor conversion requested dtype \1 for IndexedSlices with dtype \2",
    ),
    (
        r"Arguments `num_rows` and `num_columns` must be positive integer values\. Received: .*",
        "num_rows and num_columns must be positive integer values.",
    ),
    (
        r"Invalid keyword arguments for einsum: (.*)\. Valid arguments: .*",
        r"invalid keyword arguments for this function: \1",
    ),
    (r"Subscripts have incorrect format", "Indices have incorrect format"),
    (r"Got (\d+) inputs for equation", r"Got \1 arguments for equation"),
    (
        r"Output subscripts contain a label appearing more than once: (.*)",
        r"Invalid equation: \1",
    ),
    (
        r"The `tensor_dtype` argument is (.*), but `input` is of type (.*)\. These must be equal.*",
        r"tensor_dtype is \1, but input is of type \2",
    ),
)
