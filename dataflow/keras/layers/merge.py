"""Layers of several tensors, and the functions that make and call one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.engine.base_layer import Layer
from dataflow.values.shapes import TensorShape, as_shape


class _Merge(Layer):
    """Several tensors, taken together two by two; they broadcast."""

    supports_masking = True
    _least = 2

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def build(self, input_shape: Any) -> None:
        """Checks the shapes.

        Raises:
          ValueError: There are too few inputs, or they do not fit.
        """
        self._check_count(input_shape)
        batches = {as_shape(each).as_list()[0] for each in input_shape} - {None}
        if len(batches) > 1:
            raise ValueError(
                f"Can not merge tensors with different batch sizes. Got tensors with shapes : "
                f"{[tuple(as_shape(each).as_list()) for each in input_shape]}"
            )
        self._joined_shape(input_shape)
        self.built = True

    def _check_count(self, shapes: Any) -> None:
        if not isinstance(shapes, (list, tuple)):
            raise ValueError("A merge layer should be called on a list of inputs.")
        if len(shapes) < 2:
            raise ValueError(
                "A merge layer should be called on a list of at least 2 inputs. Got "
                f"{len(shapes)} inputs."
            )

    def _joined_shape(self, shapes: Any) -> TensorShape:
        lists = [as_shape(each).as_list() for each in shapes]
        result = lists[0]
        for other in lists[1:]:
            short, long = sorted([result, other], key=len)
            joined = long[: len(long) - len(short)]
            for one, two in zip(long[len(joined) :], short, strict=True):
                if one == 1 or two == 1:
                    joined.append(two if one == 1 else one)
                elif one is None or two is None:
                    joined.append(None)
                elif one != two:
                    raise ValueError(
                        "Operands could not be broadcast together with shapes "
                        f"{tuple(result[1:])} {tuple(other[1:])}"
                    )
                else:
                    joined.append(one)
            result = joined
        return TensorShape(result)

    def call(self, inputs: Any) -> Any:
        """What `_join` makes of the first two, then of that and the third, and so on."""
        if not isinstance(inputs, (list, tuple)):
            raise ValueError("A merge layer should be called on a list of inputs.")
        result, *others = _of_one_rank(list(inputs))
        for each in others:
            result = self._join(result, each)
        return result

    def _join(self, first: Any, second: Any) -> Any:
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape that the inputs have when they are broadcast."""
        return self._joined_shape(input_shape)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where all masks are true."""
        if not check_masks(inputs, mask):
            return None
        masks = [ops.cast(each, "bool") for each in mask if each is not None]
        result = masks[0]
        for each in masks[1:]:
            result = ops.logical_and(result, each)
        return result


def check_masks(inputs: Any, masks: Any) -> bool:
    """Whether some input is masked.

    Raises:
      ValueError: Inputs or masks are no list, or there are not as many.
    """
    if masks is None:
        return False
    if not isinstance(masks, list):
        raise ValueError("`mask` should be a list.")
    if not isinstance(inputs, list):
        raise ValueError("`inputs` should be a list.")
    if len(masks) != len(inputs):
        raise ValueError("The lists `inputs` and `mask` should have the same length.")
    return any(each is not None for each in masks)


def _of_one_rank(inputs: list[Any]) -> list[Any]:
    """Tensors of as many dimensions: those that have fewer get some behind the batch."""
    ranks = [each.shape.rank for each in inputs]
    if None in ranks or len(set(ranks)) == 1:
        return inputs
    grown = []
    for each, rank in zip(inputs, ranks, strict=True):
        for _ in range(max(ranks) - rank):
            each = ops.expand_dims(each, 1)
        grown.append(each)
    return grown


def _merge(name: str, join: Callable[[Any, Any], Any], doc: str, **members: Any) -> Any:
    return type(
        name,
        (_Merge,),
        {"_join": lambda self, a, b: join(a, b), "__doc__": doc, "__module__": __name__, **members},
    )


def _two_only(self: Any, input_shape: Any) -> None:
    _Merge.build(self, input_shape)
    if len(input_shape) != 2:
        raise ValueError("A `Subtract` layer should be called on exactly 2 inputs")


def _averaged(self: Any, inputs: Any) -> Any:
    return _Merge.call(self, inputs) / len(inputs)


def _plus(first: Any, second: Any) -> Any:
    return first + second


Add = _merge("Add", _plus, "The sum of several tensors.")
Subtract = _merge("Subtract", lambda a, b: a - b, "The difference of two tensors.", build=_two_only)
Multiply = _merge("Multiply", lambda a, b: a * b, "The product of several tensors.")
Average = _merge("Average", _plus, "The mean of several tensors.", call=_averaged)
Maximum = _merge("Maximum", ops.maximum, "The greatest of several tensors.")
Minimum = _merge("Minimum", ops.minimum, "The least of several tensors.")


class Concatenate(_Merge):
    """Several tensors, one behind the other along an axis."""

    axis: int

    @takes_arguments
    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def _check_count(self, shapes: Any) -> None:
        if not isinstance(shapes, (list, tuple)) or len(shapes) < 2:
            raise ValueError(
                "A `Concatenate` layer should be called on a list of at least 2 inputs"
            )

    def _joined_shape(self, shapes: Any) -> TensorShape:
        lists = [as_shape(each).as_list() for each in shapes]
        rank = len(lists[0])
        others = [[s for at, s in enumerate(each) if at != self.axis % rank] for each in lists]
        fits = all(len(each) == rank for each in lists) and all(
            None in (one, two) or one == two
            for each in others
            for one, two in zip(others[0], each, strict=True)
        )
        if not fits:
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concat "
                f"axis. Got inputs shapes: {[tuple(each) for each in lists]}"
            )
        sizes: list[Any] = [each[self.axis] for each in lists]
        result = list(lists[0])
        result[self.axis] = None if None in sizes else sum(sizes)
        return TensorShape(result)

    def call(self, inputs: Any) -> Any:
        """The inputs, joined."""
        return K.concatenate(list(inputs), axis=self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks, joined; true for inputs without one."""
        if not check_masks(inputs, mask):
            return None
        masks = []
        for each, known in zip(inputs, mask, strict=True):
            if known is None:
                masks.append(ops.ones_like(each, dtype="bool"))
            elif known.shape.rank < each.shape.rank:
                masks.append(ops.expand_dims(known, -1))
            else:
                masks.append(known)
        return K.all(ops.concat(masks, axis=self.axis), axis=-1)


class Dot(_Merge):
    """The product of each element of a batch with that of another, over an axis of each."""

    axes: Any
    normalize: bool

    @takes_arguments
    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)):
                raise TypeError("Invalid type for `axes` - should be a list or an int.")
            if len(axes) != 2:
                raise ValueError("Invalid format for `axes` - should contain two elements.")
            if not all(isinstance(each, int) for each in axes):
                raise ValueError('Invalid format for `axes` - list elements should be "int".')
        super().__init__(**kwargs)

    def _check_count(self, shapes: Any) -> None:
        if not isinstance(shapes, (list, tuple)) or len(shapes) != 2:
            raise ValueError("A `Dot` layer should be called on a list of 2 inputs.")

    def _of(self, ranks: Any) -> list[int]:
        axes = [self.axes] * 2 if isinstance(self.axes, int) else list(self.axes)
        return [axis % rank for axis, rank in zip(axes, ranks, strict=True)]

    def _joined_shape(self, shapes: Any) -> TensorShape:
        self._check_count(shapes)
        lists = [as_shape(each).as_list() for each in shapes]
        axes = self._of([len(each) for each in lists])
        sizes = [each[axis] for each, axis in zip(lists, axes, strict=True)]
        if None not in sizes and sizes[0] != sizes[1]:
            raise ValueError(
                f"Dimension incompatibility {sizes[0]} != {sizes[1]}. Layer shapes: "
                f"{tuple(lists[0])}, {tuple(lists[1])}"
            )
        kept = [
            [s for at, s in enumerate(each) if at != axis]
            for each, axis in zip(lists, axes, strict=True)
        ]
        result = [*kept[0], *kept[1][1:]]
        return TensorShape(result if len(result) > 1 else [*result, 1])

    def call(self, inputs: Any) -> Any:
        """The products."""
        first, second = inputs
        axes = self._of([first.shape.rank, second.shape.rank])
        if self.normalize:
            first = ops.l2_normalize(first, axis=axes[0])
            second = ops.l2_normalize(second, axis=axes[1])
        return K.batch_dot(first, second, axes)

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """None."""
        return None


def _function(layer: Any, name: str) -> Callable[..., Any]:
    def merged(inputs: Any, **kwargs: Any) -> Any:
        return layer(**kwargs)(inputs)

    merged.__name__ = merged.__qualname__ = name
    merged.__doc__ = layer.__doc__
    return merged


add = _function(Add, "add")
subtract = _function(Subtract, "subtract")
multiply = _function(Multiply, "multiply")
average = _function(Average, "average")
maximum = _function(Maximum, "maximum")
minimum = _function(Minimum, "minimum")


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Several tensors, one behind the other along an axis."""
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any, normalize: bool = False, **kwargs: Any) -> Any:
    """The product of each element of a batch with that of another, over an axis of each."""
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
