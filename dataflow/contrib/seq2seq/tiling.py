"""Beams beside batches: tiling, and following beams back to where they come from."""

from __future__ import annotations

from typing import Any

from dataflow.functions.flow import is_tensor_array
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.gather import gather, gather_nd
from dataflow.ops.array.select import sequence_mask, where
from dataflow.ops.array.shape import expand_dims, reshape, shape
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.ops.sequences.gather_tree import gather_tree as gather_tree
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape, dimension_value


def tile_batch(t: Any, multiplier: int, name: Any = None) -> Any:
    """Repeats each example, in place, for beam search.

    Args:
      t: A tensor [batch, ...], or a structure of them.
      multiplier: How often each example is to be there.
      name: Name scope.

    Returns:
      Tensors [batch * multiplier, ...].

    Raises:
      ValueError: A tensor has no first dimension.
    """
    with name_scope(name, "tile_batch", [*nest.flatten(t), multiplier]):
        return nest.map_structure(lambda each: _tiled(each, multiplier), t)


def _tiled(t: Any, multiplier: int) -> Tensor:
    t = convert_to_tensor(t, name="t")
    if not t.shape.rank:
        raise ValueError("t must have statically known rank")
    sizes = shape(t)
    repeated = tile(expand_dims(t, 1), [1, multiplier, *[1] * (t.shape.rank - 1)])
    tiled = reshape(repeated, concat([[sizes[0] * multiplier], sizes[1:]], 0))
    batch, known = dimension_value(t.shape[0]), constant_value(convert_to_tensor(multiplier))
    first = None if batch is None or known is None else batch * int(known)
    tiled.set_shape(TensorShape([first]).concatenate(t.shape[1:]))
    return tiled


def gather_beams(values: Tensor, beams: Tensor) -> Tensor:
    """Of each batch, the values of some beams.

    Args:
      values: [batch, beam, ...].
      beams: int32 [batch, chosen].

    Returns:
      [batch, chosen, ...].
    """
    sizes = shape(beams)
    rows = tile(expand_dims(range_of(sizes[0]), 1), [1, sizes[1]])
    return gather_nd(values, stack([rows, beams], axis=-1))


def gather_tree_from_array(t: Any, parent_ids: Any, sequence_length: Any) -> Tensor:
    """Values of whole beams, of values of each beam in each step and where each comes from.

    Args:
      t: A TensorArray or tensor [time, batch * beam, ...] or [time, batch, beam, ...].
      parent_ids: See `gather_tree`.
      sequence_length: Length of each beam, int [batch, beam].

    Returns:
      A tensor of the shape of `t`.
    """
    if is_tensor_array(t):
        t = t.stack()
    t = convert_to_tensor(t)
    parents = convert_to_tensor(parent_ids, dtype=dtypes.int32)
    sizes = shape(parents)
    time, batch, beams = sizes[0], sizes[1], sizes[2]
    width = dimension_value(parents.shape[2]) or beams
    each_beam = tile(reshape(range_of(beams), [1, 1, -1]), [time, batch, 1])
    mask = transpose(sequence_mask(sequence_length, maxlen=time), [2, 0, 1])
    longest = cast(reduce_max(sequence_length, axis=1), dtypes.int32)
    sorted_beams = gather_tree(each_beam, parents, longest, width + 1)
    # Behind the end, each beam keeps what it has.
    sorted_beams = where(mask, sorted_beams, each_beam)
    # One row for each time, example and beam, however the tensor's dimensions part them.
    rows = reshape(range_of(time * batch), [time, batch, 1]) * beams + sorted_beams
    values = reshape(t, [time * batch * beams, -1])
    result = reshape(gather(values, reshape(rows, [-1])), shape(t))
    result.set_shape(t.shape)
    return result
