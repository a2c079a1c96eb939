"""What TensorFlow 1.15 says of datasets, images, queues, ragged tensors and recurrent nets."""

from __future__ import annotations

from typing import Final

PAIRS: Final = (
    (
        r"The `label_key` provided \((.*)\) must be one of the `features` keys: .*",
        r"The `label_key` provided ('\1') must be one of the `features` keys.",
    ),
    (
        r"Invalid `dataset`\. Expected a`dataset` that produces scalar `tf\.string` elements, but "
        r"got a dataset which produces elements with shapes (.*) and types (.*)\.$",
        r"`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape \1 and types "
        r"\2",
    ),
    (
        r"Invalid `dataset[`.]+ Expected a `tf\.data\.Dataset` object but got .*",
        "`dataset` must be a `tf.data.Dataset` object.",
    ),
    (
        r"Invalid `reducer`\. The element types for the new state (.*) do not match the element "
        r"types of the old state (.*)\.$",
        r"The element types for the new state must match the initial state. Expected \2; got \1.",
    ),
    (
        r"The element (types|classes) for the new state must match the initial state\. Expected "
        r"(.*) but got (.*)\.$",
        r"The element \1 for the new state must match the initial state. Expected \2; got \3.",
    ),
    (
        r"Invalid `predicate`\. `predicate` must return a `tf\.bool` scalar tensor, but its return "
        r"type is .*",
        "`predicate` return type must be convertible to a scalar boolean tensor. Was ",
    ),
    (
        r"If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either .*",
        "num_parallel_calls must less than or equal to cycle_length.",
    ),
    (
        r"Invalid `padding_values`\. `padding_values` values type .* does not match type "
        r"(<dtype: '\w+'>) of the corresponding input component\.",
        r"Padding value tensor (Tensor(\1",
    ),
    (
        r"Invalid `padding_values`\. `padding_values` values should be scalars, but got .*",
        "Padding value should be a scalar, but is not: ",
    ),
    (
        r"`unbatch\(\)` is only supported for datasets of elements whose components have a "
        r"matching leading dimension\. .*",
        "Cannot unbatch an input whose components have different batch sizes.",
    ),
    (
        r"Invalid `weights`\. `weights` should have the same length as `datasets` but got .*",
        "`weights` must be a vector of length `len(datasets)`.",
    ),
    (
        r"(?s)Invalid `datasets`\. `datasets` must have compatible element specs.*",
        "All datasets must have the same type and class.",
    ),
    (
        r"`dense_to_sparse_batch` requires an input dataset whose elements have a single "
        r"component, but the given dataset has the following component types: (.*)\.$",
        r"DenseToSparseDataset requires an input whose elements have a single component, whereas "
        r"the input has \1.",
    ),
    (
        r"(keys must not intersect); .*(intersection: )",
        r"\1; \2",
    ),
    (r"(?s)(Missing type for feature [^.]*\.) Received feature=.*", r"\1"),
    (r"Invalid feature \w+:((\w+Feature)\(.*\))\.$", r"Unsupported \2 \1."),
    (r"Value feature_list\.dense_defaults\[", "Value feature_list_dense_defaults["),
    (r"'image' \(shape .*\) must be at least", "'image' must be at least"),
    (r"A grayscale image \(shape .*\) must be", "A grayscale image must be"),
    (r"'image' \(shape .*\) ?must have either", "'image' must have either"),
    (r"inner 3 dims of 'image\.shape' must be > 0:", "all dims of 'image.shape' must be > 0:"),
    (r"Resize method is not implemented: .*", "Resize method is not implemented."),
    (
        r"Shapes must be a TensorShape or a list or tuple of TensorShapes, got .* instead\.",
        "shapes must be a TensorShape or a list or tuple of TensorShapes.",
    ),
    (r"Dictionary: (\[.*\]),? ?Queue: (\[.*\])", r"Dictionary: (\1), Queue: (\2)"),
    # 2.21 says no more which one.
    (
        r"Named index '\w+' not in Staging Area names '(\[.*\])'",
        r"Named index not in Staging Area names \1",
    ),
    (
        r"Number of indices (\d+) doesn't match number of values (\d+)",
        r"Number of indices '\1' doesn't match number of values '\2'",
    ),
    (r"Unexpected number of inputs (\d+) vs (\d+)", r"Unexpected number of inputs '\1' vs '\2'"),
    (
        r"Datatypes do not match\. Received val\.dtype (.*) and dtype (.*)",
        r"Datatypes do not match. '\1' != '\2'",
    ),
    (r"Invalid indices type ([^'].*)", r"Invalid indices type '\1'"),
    (r"String indices provided (\[.*\]|\(.*\)),", r"String indices provided '\1',"),
    (r"Mixed types in indices (\[.*\])\.", r"Mixed types in indices '\1'."),
    (r"Argument `(\w+)` must be a list of Tensors\. Received .*", r"\1 must be a list of Tensors"),
    (
        r"Argument `nested_nrows` must have the same length as argument `nested_value_rowids`\. .*",
        "nested_nrows must have the same length as nested_value_rowids",
    ),
    (r"Specify argument `lengths` or `padding`, but", "Specify lengths or padding, but"),
    (r"(but not both)\.$", r"\1"),
    (
        r"Argument `ragged_rank` must be greater than 0\. Received (.*)\.",
        r"ragged_rank must be greater than 0; got \1",
    ),
    (
        r"Argument `ragged_rank` \(.*\) must be less than rank \(.*\)\.",
        "ragged_rank must be less than rank.",
    ),
    (
        r"Argument `st_input` must be of type SparseTensor, but is of type (\w+)\.",
        r"Expected SparseTensor, got \1",
    ),
    (
        r"axis \((.*)\) must be greater than indices\.ragged_rank \((.*)\)\.",
        "axis may not be less than indices.ragged_rank.",
    ),
    (r"Argument `axis` must be a constant scalar\. Received: .*", "axis must be a constant scalar"),
    (r"Unable to infer dtype from argument state=.*", "Unable to infer dtype from empty state."),
    (
        r"Argument state=.* has tensors of different inferred dtypes\. Unable to infer a single "
        r"representative dtype\. .*",
        "State has tensors of different inferred_dtypes. Unable to infer a single representative "
        "dtype.",
    ),
    (
        r"(Input size \(depth of inputs\) .* saw value None) for input=.*",
        r"\1.",
    ),
    (r"(Input size \(dimension \d+ of input)(?! and) .*\) (must be)", r"\1s) \2"),
    (
        r"Input tensor should have rank >= 2\. Received input=.*\(\"(.*?)\".* of rank \d+",
        r"Expected input tensor \1 to have rank at least 2",
    ),
    (
        r"If no initial_state is provided, argument `dtype` must be specified",
        "If no initial_state is provided, dtype must be specified",
    ),
    (r"Argument `loop_fn` must be a callable\. Received: .*", "loop_fn must be a callable"),
    (r"Argument `inputs` must be a sequence\. Received: .*", "inputs must be a sequence"),
    (r"Argument `inputs` must not be empty\.", "inputs must not be empty"),
    (
        r"Argument `state_name` should be the same type as `cell\.state_size`\. Received: "
        r"state_name=(.*), cell\.state_size=(.*)\.$",
        r"state_name should be the same type as cell.state_size.  state_name: \1, "
        r"cell.state_size: \2",
    ),
    (
        r"Number of elements in argument `state_name` .* with (\d+) elements and .* with (\d+) "
        r"elements\.",
        r"#elems(state_name) != #elems(state_size): \1 vs. \2",
    ),
    (
        r"Expected func to be callable\. Received func=.* of type (.*)\.$",
        r"Expected func to be callable, got func of type \1",
    ),
    (r"'a' has invalid dtype `(.*)` not in supported dtypes: .*", r"'a' invalid dtype \1."),
    (r"Invalid `(key|value)[ _]dtype`, expected", r"Invalid \1 dtype, expected"),
    (
        r"Sparse dtype mismatch\. Requested: (\w+),  Actual: (\w+)",
        r"Sparse dtype: requested = \1, actual = \2",
    ),
)
"""Patterns of 2.21's texts, and what 1.15 says."""
