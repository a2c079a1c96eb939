"""Labeled tensors put together, taken apart, selected by labels and brought into other shapes."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.pad as array_pad
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.identity as basic_identity
from dataflow.contrib.labeled_tensor.axes import Axes, Axis, as_axis, concat_axes
from dataflow.contrib.labeled_tensor.tensors import (
    AxisOrderError,
    LabeledTensor,
    convert_to_labeled_tensor,
    slice_function,
)
from dataflow.graph.scopes import name_scope
from dataflow.library.images.random_crop import random_crop as cropped
from dataflow.ops.array.broadcast import tile as tiled
from dataflow.ops.array.gather import gather
from dataflow.ops.array.index import boolean_mask as masked


def _all_labeled(values: Collection[Any]) -> list[Any]:
    return [convert_to_labeled_tensor(each) for each in values]


def _names(axes: Axes, wanted: Collection[str], text: str) -> None:
    """Looks whether names are those of axes.

    Raises:
      ValueError: One is none.
    """
    if not set(wanted) <= set(axes):
        raise ValueError(text)


def select(
    labeled_tensor: Any, selection: Mapping[str, Any], name: str | None = None
) -> LabeledTensor:
    """What stands at labels of axes.

    Args:
      labeled_tensor: The tensor.
      selection: Name of an axis -> a label, and the axis is gone; a slice from a label to another
        one, which is taken, too; or a list of labels, of one axis only.
      name: The name scope: "lt_select".

    Raises:
      ValueError: There is no such axis, or it has no labels.
      KeyError: There is no such label.
      NotImplementedError: Two lists, a list beside something else, or a slice with a step.
    """
    with name_scope(name, "lt_select", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        places: dict[str, Any] = {}
        listed: dict[str, list[int]] = {}
        for axis_name, value in selection.items():
            axis = _axis_with_labels(given.axes, axis_name)
            if isinstance(value, slice):
                places[axis_name] = _slice_of(axis, value)
            elif isinstance(value, Hashable):
                places[axis_name] = axis.index(value)
            elif isinstance(value, list):
                if listed:
                    raise NotImplementedError(
                        "select does not yet support more than one list selection at the same time"
                    )
                listed[axis_name] = [axis.index(each) for each in value]
            else:
                raise TypeError("cannot handle arbitrary types")
        if not listed:
            return slice_function(given, places, name=scope)
        if places:
            raise NotImplementedError(
                "select does not yet support combined scalar and list selection"
            )
        ((axis_name, indices),) = listed.items()
        taken = gather(given.tensor, indices, axis=list(given.axes).index(axis_name), name=scope)
        axes = {**given.axes, axis_name: Axis(axis_name, selection[axis_name])}
        return LabeledTensor(taken, list(axes.values()))


def _axis_with_labels(axes: Axes, name: str) -> Axis:
    if name not in axes:
        raise ValueError(
            f"The tensor does not have an axis named {name}. Its axes are: {axes.keys()!r}"
        )
    if axes[name].labels is None:
        raise ValueError(f"The axis named {name} does not have labels. The axis is: {axes[name]!r}")
    return axes[name]


def _slice_of(axis: Axis, value: slice) -> slice:
    start = None if value.start is None else axis.index(value.start)
    stop = None if value.stop is None else axis.index(value.stop) + 1
    if value.step is not None:
        raise NotImplementedError("slicing with a step is not yet supported")
    return slice(start, stop)


def concat(
    labeled_tensors: Collection[Any], axis_name: str, name: str | None = None
) -> LabeledTensor:
    """Tensors one behind the other, along an axis.

    Raises:
      ValueError: There are none, they lack the axis, or another axis is not the same for all.
    """
    with name_scope(name, "lt_concat", list(labeled_tensors)) as scope:
        all_given = _all_labeled(labeled_tensors)
        if not all_given:
            raise ValueError(f"concat expects at least 1 tensor, but received {all_given}")
        first = all_given[0].axes
        if axis_name not in first:
            raise ValueError(f"{axis_name} not in {list(first)}")
        others = first.remove(axis_name)
        for each in all_given[1:]:
            own = each.axes.remove(axis_name)
            if own != others:
                raise ValueError(
                    f"Mismatched shared axes: the first tensor had axes {others!r} but this tensor "
                    f"has axes {own!r}."
                )
        whole = concat_axes([each.axes[axis_name] for each in all_given])
        joined = array_concat.concat(
            [each.tensor for each in all_given], list(first).index(axis_name), name=scope
        )
        return LabeledTensor(joined, list({**first, axis_name: whole}.values()))


def pack(
    labeled_tensors: Collection[Any],
    new_axis: Any,
    axis_position: int = 0,
    name: str | None = None,
) -> LabeledTensor:
    """Tensors of the same axes beside each other, along a new one.

    Args:
      labeled_tensors: The tensors.
      new_axis: The axis, or its name.
      axis_position: How many axes are before it.
      name: The name scope: "lt_pack".

    Raises:
      ValueError: There are none, or they have other axes.
    """
    with name_scope(name, "lt_pack", list(labeled_tensors)) as scope:
        all_given = _all_labeled(labeled_tensors)
        if not all_given:
            raise ValueError(f"pack expects at least 1 tensors, but received {all_given}")
        first = all_given[0].axes
        for each in all_given:
            if each.axes != first:
                raise ValueError(f"Non-identical axes. Expected {first} but got {each.axes}")
        packed = array_concat.stack(
            [each.tensor for each in all_given], axis=axis_position, name=scope
        )
        axes = list(first.values())
        axes.insert(axis_position, new_axis)
        return LabeledTensor(packed, axes)


def unpack(
    labeled_tensor: Any, axis_name: str | None = None, name: str | None = None
) -> list[LabeledTensor]:
    """A tensor for each place of an axis, the first one if no name is given.

    Raises:
      ValueError: There is no such axis.
    """
    with name_scope(name, "lt_unpack", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        names = list(given.axes)
        wanted = names[0] if axis_name is None else axis_name
        if wanted not in names:
            raise ValueError(f"{wanted} not in {names}")
        apart = array_concat.unstack(given.tensor, axis=names.index(wanted), name=scope)
        axes = list(given.axes.remove(wanted).values())
        return [LabeledTensor(each, axes) for each in apart]


def reshape(
    labeled_tensor: Any,
    existing_axes: Collection[str],
    new_axes: Collection[Any],
    name: str | None = None,
) -> LabeledTensor:
    """Other axes in place of neighbouring ones.

    Args:
      labeled_tensor: The tensor.
      existing_axes: Names of axes that stand one behind the other.
      new_axes: Axes, or a name for one whose size follows from the others.
      name: The name scope: "lt_reshape".

    Raises:
      ValueError: There are no such axes, or two sizes are not known.
      AxisOrderError: They are not neighbours, or in another order.
    """
    with name_scope(name, "lt_reshape", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        names, old = list(given.axes), list(existing_axes)
        _names(
            given.axes,
            old,
            f"existing_axes {old!r} are not contained in the set of axis names {names!r} on the "
            "input labeled tensor",
        )
        start, stop = names.index(old[0]), names.index(old[-1]) + 1
        if names[start:stop] != old:
            raise AxisOrderError(
                f"existing_axes {old!r} are not a slice of axis names {names!r} on the input "
                "labeled tensor. Use `transpose` or `impose_axis_order` to reorder axes on the "
                "input explicitly."
            )
        if sum(isinstance(each, str) for each in new_axes) > 1:
            raise ValueError(
                "at most one axis in new_axes can have unknown size. All other axes must have an "
                f"indicated integer size or labels: {new_axes!r}"
            )
        axes = list(given.axes.values())
        axes[start:stop] = [each if isinstance(each, str) else as_axis(each) for each in new_axes]
        sizes = [-1 if isinstance(each, str) or each.size is None else each.size for each in axes]
        return LabeledTensor(array_shape.reshape(given.tensor, sizes, name=scope), axes)


def rename_axis(
    labeled_tensor: Any, existing_name: str, new_name: str, name: str | None = None
) -> LabeledTensor:
    """The same values, with another name of an axis.

    Raises:
      ValueError: There is no such axis.
    """
    with name_scope(name, "lt_rename_axis", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        if existing_name not in given.axes:
            raise ValueError(
                f"existing_name {existing_name!r} are not contained in the set of axis names "
                f"{given.axes.keys()!r} on the input labeled tensor"
            )
        axis = Axis(new_name, given.axes[existing_name].value)
        return reshape(given, [existing_name], [axis], name=scope)


def random_crop(
    labeled_tensor: Any,
    shape_map: Mapping[str, int],
    seed: int | None = None,
    name: str | None = None,
) -> LabeledTensor:
    """A part of the tensor that begins at random places.

    Args:
      labeled_tensor: The tensor.
      shape_map: Name of an axis -> its size in the result, in which it has no labels.
      seed: Of the places.
      name: The name scope: "lt_random_crop".

    Raises:
      ValueError: There is no such axis.
    """
    with name_scope(name, "lt_random_crop", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        for each in shape_map:
            if each not in given.axes:
                raise ValueError(f"Selection axis {each} not in axes {given.axes}")
        axes = [
            Axis(axis.name, shape_map[axis.name]) if axis.name in shape_map else axis
            for axis in given.axes.values()
        ]
        part = cropped(given.tensor, list(map(len, axes)), seed=seed, name=scope)
        return LabeledTensor(part, axes)


def squeeze(
    labeled_tensor: Any, axis_names: Collection[str] | None = None, name: str | None = None
) -> LabeledTensor:
    """The tensor without axes of one place: those of the names, or all.

    Raises:
      ValueError: There is no such axis, or it has more places.
    """
    with name_scope(name, "lt_squeeze", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        if axis_names is None:
            axis_names = [axis.name for axis in given.axes.values() if len(axis) == 1]
        for each in axis_names:
            if each not in given.axes:
                raise ValueError(f"axis {each} is not in tensor axes {given.axes}")
            if len(given.axes[each]) != 1:
                raise ValueError(
                    f"cannot squeeze axis with size greater than 1: ({each}, {given.axes[each]})"
                )
        gone = [place for place, each in enumerate(given.axes) if each in axis_names]
        axes = [axis for axis in given.axes.values() if axis.name not in axis_names]
        if gone:
            return LabeledTensor(array_shape.squeeze(given.tensor, gone, name=scope), axes)
        return LabeledTensor(basic_identity.identity(given.tensor, name=scope), axes)


def tile(
    labeled_tensor: Any, multiples: Mapping[str, Any], name: str | None = None
) -> LabeledTensor:
    """The tensor several times along axes.

    Args:
      labeled_tensor: The tensor.
      multiples: Name of an axis without labels -> how many times.
      name: The name scope: "lt_tile".

    Raises:
      ValueError: There is no such axis, or it has labels.
    """
    with name_scope(name, "lt_tile", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        _names(
            given.axes,
            multiples,
            f"tile axes {multiples.keys()!r} are not contained in the set of axis names "
            f"{given.axes!r} on the input labeled tensor",
        )
        labeled = [each for each in multiples if given.axes[each].labels is not None]
        if labeled:
            raise ValueError(f"cannot tile axes with tick labels: {labeled!r}")
        times = [multiples.get(each, 1) for each in given.axes]
        axes = [axis.name if axis.labels is None else axis for axis in given.axes.values()]
        return LabeledTensor(tiled(given.tensor, times, name=scope), axes)


def pad(
    labeled_tensor: Any,
    paddings: Mapping[str, tuple[Any, Any]],
    mode: str = "CONSTANT",
    name: str | None = None,
) -> LabeledTensor:
    """More places before and behind those of axes.

    Args:
      labeled_tensor: The tensor.
      paddings: Name of an axis -> how many before and behind, or their labels.
      mode: See `tf.pad`.
      name: The name scope: "lt_pad".

    Raises:
      ValueError: There is no such axis.
    """
    with name_scope(name, "lt_pad", [labeled_tensor]) as scope:
        given = convert_to_labeled_tensor(labeled_tensor)
        _names(
            given.axes,
            paddings,
            f"pad axes {paddings.keys()!r} are not contained in the set of axis names "
            f"{given.axes!r} on the input labeled tensor",
        )
        axes, counts = [], []
        for each, axis in given.axes.items():
            before, behind = (Axis(each, value) for value in paddings.get(each, (0, 0)))
            counts.append((len(before), len(behind)))
            axes.append(concat_axes([before, axis, behind]) if each in paddings else axis)
        return LabeledTensor(array_pad.pad(given.tensor, counts, mode, name=scope), axes)


def boolean_mask(labeled_tensor: Any, mask: Any, name: str | None = None) -> LabeledTensor:
    """What stands where a mask of the first axis is true.

    Raises:
      NotImplementedError: The mask has more axes.
      ValueError: Its axis is not the first one of the tensor.
    """
    with name_scope(name, "lt_boolean_mask", [labeled_tensor, mask]) as scope:
        given, chosen = _all_labeled([labeled_tensor, mask])
        if len(chosen.axes) > 1:
            raise NotImplementedError(
                "LabeledTensor's boolean_mask currently only supports 1D masks"
            )
        first, *others = given.axes.values()
        (axis,) = chosen.axes.values()
        if axis != first:
            raise ValueError(
                "the first axis of the labeled tensor and the mask are not equal:\n"
                f"{first!r}\n{axis!r}"
            )
        return LabeledTensor(masked(given.tensor, chosen.tensor, name=scope), [first.name, *others])


def where(condition: Any, x: Any, y: Any, name: str | None = None) -> LabeledTensor:
    """The elements of x where the condition is true, those of y elsewhere.

    Raises:
      ValueError: The axes are not the same.
    """
    with name_scope(name, "lt_where", [condition, x, y]) as scope:
        choice, first, second = _all_labeled([condition, x, y])
        if not choice.axes == first.axes == second.axes:
            raise ValueError("all inputs to `where` must have equal axes")
        chosen = array_select.where(choice.tensor, first.tensor, second.tensor, name=scope)
        return LabeledTensor(chosen, first.axes)
