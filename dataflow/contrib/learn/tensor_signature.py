"""What tensors are apart from their values: checks that later ones are alike, and reads such."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.parsing.configs import FixedLenFeature, VarLenFeature
from dataflow.library.parsing.examples import parse_example
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.placeholder import placeholder
from dataflow.ops.basic.sparse_placeholder import sparse_placeholder
from dataflow.values import dtypes


class _Signature(NamedTuple):
    dtype: Any
    shape: Any
    is_sparse: bool


class TensorSignature(_Signature):
    """Type and shape of a tensor, and whether it is sparse: then it has no shape."""

    __slots__ = ()

    def __new__(cls, tensor: Any) -> TensorSignature:
        """That of a tensor or a SparseTensor."""
        if isinstance(tensor, SparseTensor):
            return super().__new__(cls, tensor.values.dtype, None, True)
        return super().__new__(cls, tensor.dtype, tensor.get_shape(), False)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor may be both, if the first dimension, the batch's, does not count."""
        if self.is_sparse != other.is_sparse or not self.dtype.is_compatible_with(other.dtype):
            return False
        if self.is_sparse or self.shape.rank is None or other.shape.rank is None:
            return True
        return bool(
            self.shape.rank == other.shape.rank
            and self.shape[1:].is_compatible_with(other.shape[1:])
        )

    def get_placeholder(self) -> Any:
        """A placeholder for batches of any size of it."""
        if self.is_sparse:
            return sparse_placeholder(dtype=self.dtype)
        return placeholder(self.dtype, [None, *self.shape[1:]])

    def get_feature_spec(self) -> Any:
        """How an Example holds it: int32 as int64, float64 as float32."""
        held = {dtypes.int32: dtypes.int64, dtypes.float64: dtypes.float32}
        dtype = held.get(self.dtype, self.dtype)
        if self.is_sparse:
            return VarLenFeature(dtype=dtype)
        return FixedLenFeature(shape=self.shape[1:], dtype=dtype)


def tensors_compatible(tensors: Any, signatures: Any) -> bool:
    """Whether tensors are as signatures say.

    Args:
      tensors: A tensor, a dictionary of them, which may have more than is asked for, or None.
      signatures: Their signatures.
    """
    if tensors is None or signatures is None:
        return tensors is signatures
    if isinstance(tensors, dict) != isinstance(signatures, dict):
        return False
    if not isinstance(tensors, dict):
        return TensorSignature(tensors).is_compatible_with(signatures)
    return all(
        key in tensors and TensorSignature(tensors[key]).is_compatible_with(signature)
        for key, signature in signatures.items()
    )


def create_signatures(tensors: Any) -> Any:
    """The signatures of a tensor, or of a dictionary of them; None of None."""
    if isinstance(tensors, dict):
        return {key: TensorSignature(tensor) for key, tensor in tensors.items()}
    return None if tensors is None else TensorSignature(tensors)


def create_placeholders_from_signatures(signatures: Any) -> Any:
    """Placeholders for what one signature or a dictionary of them says; None for None."""
    if isinstance(signatures, dict):
        return {key: signature.get_placeholder() for key, signature in signatures.items()}
    return None if signatures is None else signatures.get_placeholder()


def create_example_parser_from_signatures(
    signatures: Any, examples_batch: Any, single_feature_name: str = "feature"
) -> Any:
    """Reads tensors from Examples.

    Args:
      signatures: What they are: one signature, or a dictionary of them by feature.
      examples_batch: Serialized Examples, of shape `[batch]`.
      single_feature_name: The feature, if there is one signature.

    Returns:
      A tensor with the signature's type, or a dictionary of them.
    """
    several = signatures if isinstance(signatures, dict) else {single_feature_name: signatures}
    spec = {key: signature.get_feature_spec() for key, signature in several.items()}
    found = parse_example(examples_batch, spec)
    for key, tensor in found.items():
        if not several[key].dtype.is_compatible_with(tensor.dtype):
            found[key] = cast(tensor, several[key].dtype)
    return found if isinstance(signatures, dict) else found[single_feature_name]
