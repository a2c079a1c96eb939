"""Beams beside batches: tiling, and following beams back to where they come from."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.seq2seq.training_inputs import steps_of
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.functions.flow import is_tensor_array
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.check_values import assert_equal
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat, stack, unstack
from dataflow.ops.array.fill import fill
from dataflow.ops.array.gather import gather, gather_nd
from dataflow.ops.array.select import sequence_mask, where
from dataflow.ops.array.shape import expand_dims, reshape, shape
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.compare import equal, logical_and, logical_or
from dataflow.ops.reductions.reduce import reduce_any, reduce_max
from dataflow.ops.reductions.scan import cumsum
from dataflow.ops.text.joining import string_join
from dataflow.ops.text.numbers import as_string
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


def gather_tree(
    step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any, name: Any = None
) -> Tensor:
    """The whole beams, of what each beam said in each step and of which beam it comes from.

    Args:
      step_ids: int32 [time, batch, beam].
      parent_ids: Of which beam of the step before each comes, int32 of the same shape.
      max_sequence_lengths: int32 [batch]: steps from there on do not count.
      end_token: int32 scalar; what comes behind it, or behind the last step, is `end_token`.
      name: Name scope.

    Returns:
      int32 [time, batch, beam].

    Raises:
      ValueError: A rank is not right.
      InvalidArgumentError: In the run: a parent is no beam, or shapes differ.
    """
    with name_scope(name, "GatherTree", [step_ids, parent_ids, max_sequence_lengths, end_token]):
        steps = convert_to_tensor(step_ids, dtype=dtypes.int32, name="step_ids")
        parents = convert_to_tensor(parent_ids, dtype=dtypes.int32, name="parent_ids")
        lengths = convert_to_tensor(
            max_sequence_lengths, dtype=dtypes.int32, name="max_sequence_lengths"
        )
        end = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        known = steps.shape.with_rank(3).merge_with(parents.shape.with_rank(3))
        lengths.shape.with_rank(1)
        end.shape.with_rank(0)
        with control_dependencies([assert_equal(shape(steps), shape(parents))]):
            said = _followed(identity(steps), parents, lengths, end)
        # From the first end token on there are only end tokens.
        ended = cumsum(cast(equal(said, end), dtypes.int32), axis=0) > 0
        beams = where(ended, fill(shape(said), end), said)
        beams.set_shape(known)
        return beams


def _followed(steps: Tensor, parents: Tensor, lengths: Tensor, end: Tensor) -> Any:
    """What each last beam said, from the end to the beginning."""
    sizes = shape(steps)
    time, batch, beams = sizes[0], sizes[1], sizes[2]
    said, come_from = steps_of(steps), steps_of(parents)
    first = tile(expand_dims(range_of(beams), 0), [batch, 1])
    silent = fill([batch, beams], end)
    found = TensorArray(dtypes.int32, size=time, element_shape=steps.shape[1:])

    def back(index: Any, at: Any, found: Any) -> Any:
        counts = tile(expand_dims(index < lengths, 1), [1, beams])
        checked = _assert_beams(at, counts, index, beams)
        # Steps that do not count may come from anywhere.
        with control_dependencies([checked]):
            safe = where(counts, at, first)
        token = where(counts, gather_beams(said.read(index), safe), silent)
        parent = where(counts, gather_beams(come_from.read(index), safe), at)
        return index - 1, parent, found.write(index, token)

    _, _, found = while_loop(
        lambda index, *_: index >= 0, back, (time - 1, first, found), back_prop=False
    )
    return found.stack()


def _assert_beams(at: Tensor, counts: Tensor, index: Any, beams: Any) -> Any:
    """Checks that steps that count come from beams that there are; the error names the first."""
    none = logical_and(counts, logical_or(at < 0, at >= beams))

    def failed() -> Any:
        row, column = unstack(where(none)[0])
        parent = gather_nd(at, stack([row, column]))
        words = [as_string(each) for each in (parent, row, index, column)]
        place = string_join(["(", string_join(words[1:], ", "), ")"])
        text = ["Saw invalid parent id ", words[0], " at (batch, time, beam) == ", place]
        return Assert(False, [string_join(text)])

    return cond(reduce_any(none), failed, no_op)


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
