"""What TensorFlow 1.15 says, recorded from it, where 2.21 says the same in other words."""

from __future__ import annotations

import functools
import re
from typing import Final

from tests.words_of_data import PAIRS
from tests.words_of_nets import PAIRS as OF_NETS

_PAIRS: Final = (
    (r"Date must be in format YYYY-MM-DD\. Received: .*", "Date must be YYYY-MM-DD."),
    (r"(without conversion instructions!) Specify the `instructions` argument\.", r"\1"),
    (r"Cannot specify both '(\w+)' and '(\w+)'\.", r"Cannot specify both '\1' and '\2'"),
    (
        r"Argument `fn` should be a callable\. Received: fn=.* \(of type (.*)\)",
        r"fn should be a function-like object, but is of type \1.",
    ),
    (r"Argument `func` must be a callable\. Received .*", "Argument must be callable"),
    (
        r"group_id must be between 0 and num_groups=(\d+), got (-?\d+)",
        r"group_id=\2 should be between 0 and num_groups=\1",
    ),
    (
        r"Expected (\w+), but got (.*) of type 'str'\.",
        r"Expected \1, got '\2' of type 'str' instead.",
    ),
    (
        r"Expected (\w+), but got (.*) of type '(\w+)'\.",
        r"Expected \1, got \2 of type '\3' instead.",
    ),
    (r"Expected Tensor's shape: (.*), but got (.*)\.", r"Expected Tensor's shape: \1, got \2."),
    (
        r"Expected any non-tensor type, but got a tensor instead\.",
        "List of Tensors when single Tensor expected",
    ),
    (
        r"Cannot provide both `handle` and `tensor_array_name` arguments at the same time\.",
        "Cannot construct with both handle and tensor_array_name",
    ),
    (
        r"Cannot provide both (?:a )?`handle` and `(\w+)` arguments at the same time\.",
        r"Cannot provide both a handle and \1 at the same time",
    ),
    (
        r"Argument `size` must be provided if handle is not provided\.",
        "Size must be provided if handle is not provided",
    ),
    (r"'(cond|body)' must be callable\.", r"\1 must be callable."),
    (
        r"'pred_fn_pairs' must be a list, tuple, or dict\. Received: .*",
        "fns must be a list, tuple, or dict",
    ),
    (r"Length mismatch\. Passed", "Passed"),
    (r"for IndexedSlices for argument `value` without", "for IndexedSlices without"),
    (
        r"Argument node_def must be a NodeDef\. Received an instance of type: .*",
        "node_def needs to be a NodeDef",
    ),
    (r"`(.*)` is not a valid node name\. .*", r"'\1' is not a valid node name"),
    (r"'(.*)' is not a valid (?:root )?scope name\. .*", r"'\1' is not a valid scope name"),
    (
        r"Argument `base_type` must be a type or a tuple of types\. .*",
        "base_type must be a type or a tuple of types.",
    ),
    (
        r"Argument `conversion_func` must be callable\. Received .*\.",
        "conversion_func must be callable.",
    ),
    (
        r"Unknown attribute '(.*)' is encountered while parsing the device spec: '(.*)'\.",
        r"Unknown attribute: '\1' in '\2'",
    ),
    (
        r"Cannot flatten dict because this key is not unique: (.*)",
        r"Could not flatten dictionary: key \1 is not unique.",
    ),
    (
        r"FlattenDictItems: 'dict' must be a dictionary or collection\.Mapping type object, .*",
        "input must be a dictionary",
    ),
    (r"(?s)Attempted to pack value:\n.*incompatible type .*", "flat_sequence must be a sequence"),
    (
        r"(?s)The target structure is of type .*\) of length (\d+)\..*one to the other\.",
        r"Structure is a scalar but len(flat_sequence) == \1 > 1",
    ),
    (
        r"Structure had (\d+) atoms, but flat_sequence had (\d+) items\.",
        r"Structure had \1 elements, but flat_sequence had \2 elements.",
    ),
    (
        r"Too many elements provided\. Takes at most (-?\d+), but got (\d+)\.",
        r"Too many elements provided. Needed at most \1, but received \2",
    ),
    (
        r"`logits` cannot be a scalar\. Received logits=.*shape=(\(\)).*`",
        r"Logits cannot be scalars - received shape \1.",
    ),
    (
        r"`labels\.shape\.rank` must equal `logits\.shape\.rank - 1`\. Received: "
        r"labels\.shape=.* of rank (\d+) and logits\.shape=.* of rank (\d+)",
        r"Rank mismatch: Rank of labels (received \1) should equal rank of logits minus 1 "
        r"(received \2).",
    ),
    (
        r"`labels\.shape` must equal `logits\.shape` except for the last dimension\. Received: "
        r"labels\.shape=(.*) and logits\.shape=(.*)",
        r"Shape mismatch: The shape of labels (received \1) should equal the shape of logits "
        r"except for the last dimension (received \2).",
    ),
    (r"Cannot infer argument `num` from shape", "Cannot infer num from shape"),
    (r"Argument `axis` = (\S+) not in range \[", r"axis = \1 not in ["),
    (
        r"Multiple device types are not allowed while parsing the device spec: (.*)\.",
        r"Cannot specify multiple device types: \1",
    ),
    (r"Argument `graph_def` must", "graph_def must"),
    (
        r"Argument `input_map` must be a dictionary\. Obtained \w+",
        "input_map must be a dictionary mapping strings to Tensor objects.",
    ),
    (
        r"All keys for argument `input_map` must be strings\. Obtained keys: .*",
        "input_map must be a dictionary mapping strings to Tensor objects.",
    ),
    (
        r"Argument `return_elements` must be a list of strings\. Obtained .*\.",
        "return_elements must be a list of strings.",
    ),
    (r"dest_nodes must be an iterable of strings, but got type .*\.", "dest_nodes must be a list."),
    (r"Functions with argument defaults", "function with argument defaults"),
    (
        r"The number of tf\.function input types is not compatible .* arguments\.",
        "The function has fewer arguments than the number of specified input types.",
    ),
    (r"Expected (\d+) arguments, got (\d+)\.", r"Expected number of arguments: \1, received: \2"),
    (
        r"The template expects (\d+) tensors, but the inputs only has (\d+)\. Please .* length\.",
        r"\1 placeholder(s) in template does not match \2 tensor(s) provided as input",
    ),
    (r"`t_list` should be a sequence of tensors\. Received .*\.", "t_list should be a sequence"),
    (
        r"@tf\.custom_gradient grad_fn must accept keyword argument 'variables', since function "
        r"uses variables: .*",
        "If using @custom_gradient with a function that uses variables, then grad_fn must accept a "
        "keyword argument 'variables'.",
    ),
    (
        r"Attempting to lock a CriticalSection .*This is illegal and may cause deadlocks\.",
        "The function fn attempts to directly access the CriticalSection in which it would be "
        "running.  This is illegal and would cause deadlocks.",
    ),
    (
        r"Gradients of complex tensors \(.*\) must set grad_ys \(y\.dtype = (\w+)\)",
        r"Gradients of complex tensors must set grad_ys (y.dtype = tf.\1)",
    ),
    (
        r"len is not well defined for a symbolic Tensor \((\S+)\)\.",
        r"len is not well defined for symbolic Tensors. (\1)",
    ),
    (
        r"Using a symbolic `tf\.Tensor` as a Python `bool`",
        "using a `tf.Tensor` as a Python `bool`",
    ),
    (r"Iterating over a symbolic `tf\.Tensor`", "iterating over `tf.Tensor`"),
    (r"Cannot convert a symbolic tf\.Tensor", "Cannot convert a symbolic Tensor"),
    (r"'pred' must not be a Python bool\.", "pred must not be a Python bool"),
    (r"cond\(\): '(\w+)' argument required", r"cond(): \1 argument required"),
    (r"'(true_fn|false_fn)' must be callable", r"\1 must be callable"),
    (r"'(true_fn|false_fn)' must have a return value", r"\1 must have a return value"),
    (r"'true_fn' and 'false_fn' must return", "true_fn and false_fn must return"),
    (
        r"Outputs of 'true_fn' and 'false_fn' must have the same type\(s\)\. Received (\w+) from "
        r"'true_fn' and (\w+) from 'false_fn'\.",
        r"Outputs of true_fn and false_fn must have the same type: \1, \2",
    ),
    (
        r"'inputs' should be zero or more \(nested\) Tensors\. Received '(.*)' with type '(.*)'\.",
        r"Expected tf.group() expected Tensor arguments not '\1' with type '\2'",
    ),
    (
        r"'tensors' must have at least one Tensor\. Received: (.*)\.",
        r"Must have at least one Tensor: \1",
    ),
    (
        r"'branch_index' must be an? ((?:integer )?)Tensor, got",
        r"branch_index must a \1Tensor, got",
    ),
    (r"branch_index must a integer", "branch_index must an integer"),
    (
        r"Must provide at least one item in 'branch_fns'",
        "Must provide at least one item in branch_fns",
    ),
    (r"'branch_fns' must be a list", "branch_fns must be a list"),
    (
        r"Each entry in '(\w+)' must be a 2-tuple\. Received .*\.",
        r"Each entry in \1 must be a 2-tuple",
    ),
    (
        r"'parallel_iterations' must be a positive integer\.",
        "parallel_iterations must be a positive integer.",
    ),
    (
        r"'maximum_iterations' must be a scalar\. Received shape:",
        "maximum_iterations must be a scalar, saw shape:",
    ),
    (r"'loop_vars' must be provided\.", "No loop variables provided"),
    (r"`axes` must be at least 0\. Received: .*\.", "'axes' must be at least 0."),
    (
        r"`axes` (must not be larger than the number of dimensions of tensor .*)\.  Received .*\.",
        r"'axes' \1.",
    ),
    (
        r"`axes` must be an integer or have length 2\. Received .*\.",
        "'axes' must be an integer or have length 2.",
    ),
    (
        r"Different number of contraction axes `a` and `b`",
        "Different number of contraction axes 'a' and 'b'",
    ),
    (
        r"`x` and `y` must have the same dtype, got (\S+) != (\S+)\.",
        r"x and y must have the same dtype, got \1 != \2",
    ),
    (
        r"Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and "
        r"shape\.",
        "inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape",
    ),
    (
        r"The `real` and `imag` components have incorrect types: (\w+) (\w+)\. They must be .*",
        r"real and imag have incorrect types: \1 \2",
    ),
    (
        r"The input scalar must be a 0-D value\. Received shape (.*)\.",
        r"Only scalar multiply works, got shape \1",
    ),
    (r"((?:Regression|Classification|Prediction|/\w+) )`(\w+)` (?=cannot be)", r"\1\2 "),
    (r"`classes` and `scores` cannot", "classes and scores cannot"),
    (
        r"(?:Regression input tensors must be of type string|Expected regression examples to be of "
        r"type Tensor)\. Found .*",
        "Regression examples must be a string Tensor.",
    ),
    (
        r"Regression output tensors must be of type float\. Found .*",
        "Regression output must be a float Tensor.",
    ),
    (
        r"Classification (?:input tensors must be of type string|`examples` must be a string "
        r"Tensor)\. Found .*",
        "Classification examples must be a string Tensor.",
    ),
    (
        r"Classification classes must be of type string Tensor\. Found .*",
        "Classification classes must be a string Tensor.",
    ),
    (r"Argument `features` cannot be None or falsy\. Got (.*)", r"Missing: features was \1."),
    (r"Invalid argument: features cannot be None\.", "Missing features."),
    (
        r"Both context_features and sequence_features are None, but at least one should have "
        r"values\.",
        "Missing features.",
    ),
    (r"Unsupported \w+ (.*) for key '(\w+)'", r"Invalid feature \2:\1."),
    (r"Argument `batch_dims` must be an int; got (.*)", r"batch_dims must be an int; got \1"),
    (
        r"Argument `batch_dims` = (\S+) must be less than rank\(`(\w+)`\) = ",
        r"batch_dims = \1 must be less than rank(\2) = ",
    ),
    (
        r"Argument `maxlen` must be scalar for sequence_mask, received .*",
        "maxlen must be scalar for sequence_mask",
    ),
    (
        r"Argument `indexing` parameter must be either 'xy' or 'ij', got .*",
        "indexing parameter must be either 'xy' or 'ij'",
    ),
    (
        r"Argument `side` must be either 'right' or 'left'\. Received: `side` = '(.*)'\.",
        r"side must be either 'right' or 'left'.  Saw: \1.",
    ),
    (
        r"Value of argument `mode` expected to be one of .* Received `mode` = (.*)",
        r"Unknown padding mode: \1",
    ),
    (
        r"Argument `a` should be a \(batch\) matrix with rank >= 2\.  Received `a` = .* with "
        r"shape: (.*)",
        r"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: \1",
    ),
    (
        r"Argument `(graph|config)` must be a (tf\.\w+), but got \"(\w+)\"",
        r"\1 must be a \2, but got <class '\3'>",
    ),
    (
        r"`(vocabulary_list|vocabulary_file)` (?:argument )?must be specified",
        r"\1 must be specified",
    ),
    (
        r"`vocab_size` must be greater than 0, got (\S+) for vocabulary_file: (.*)\.",
        r"vocab_size must be greater than 0, got \1. vocabulary_file: \2",
    ),
    (r"`vocab_size` must be greater than 0", "vocab_size must be greater than 0"),
    (
        r"`num_oov_buckets` must be >= 0, received: (.*)\.",
        r"num_oov_buckets must be greater or equal than 0, got \1.",
    ),
    (
        r"Dtype for `keys` should be either integer or string\.",
        "Only integer and string keys are supported.",
    ),
    (r"`oov_buckets` must be > 0 if no `table` is", "oov_buckets must be > 0 if no table is"),
    (r"Invalid `key_dtype`", "Invalid key_dtype"),
    (
        r"`hasher_spec` must be of type HasherSpec, received: .*",
        "hasher_spec must be of type HasherSpec",
    ),
    (r"Found unknown hasher (\S+) in `hasher_spec`\.", r"Unknown hasher \1"),
    (
        r"Dtype of argument `keys` must be (.*), received: (.*)",
        r"Signature mismatch. Keys must be dtype \1, got \2.",
    ),
)


# What two libraries say is mostly the same text.
@functools.lru_cache(maxsize=64)
def as_in_tensorflow_1(text: str) -> str:
    """A text of 2.21 in the words of 1.15, where those are what is said here."""
    for former, found in _compiled():
        text = former.sub(found, text)
    return text


@functools.cache
def _compiled() -> list[tuple[re.Pattern[str], str]]:
    """The pairs; `re` itself would remember too few."""
    return [(re.compile(former), found) for former, found in (*_PAIRS, *PAIRS, *OF_NETS)]
