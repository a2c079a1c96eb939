"""Reading records, as `tf` names it."""

from dataflow.library.parsing.configs import FixedLenFeature as FixedLenFeature
from dataflow.library.parsing.configs import FixedLenSequenceFeature as FixedLenSequenceFeature
from dataflow.library.parsing.configs import SparseFeature as SparseFeature
from dataflow.library.parsing.configs import VarLenFeature as VarLenFeature
from dataflow.library.parsing.examples import parse_example as parse_example
from dataflow.library.parsing.examples import parse_single_example as parse_single_example
from dataflow.library.parsing.sequence_examples import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from dataflow.ops.parsing.csv import decode_csv as decode_csv
from dataflow.ops.parsing.raw import decode_compressed as decode_compressed
from dataflow.ops.parsing.raw import decode_raw as decode_raw
from dataflow.ops.parsing.tensors import decode_json_example as decode_json_example
from dataflow.ops.parsing.tensors import parse_tensor as parse_tensor
from dataflow.ops.parsing.tensors import serialize_tensor as serialize_tensor
from dataflow.ops.sparse.serialized import deserialize_many_sparse as deserialize_many_sparse
from dataflow.ops.sparse.serialized import serialize_many_sparse as serialize_many_sparse
from dataflow.ops.sparse.serialized import serialize_sparse as serialize_sparse
