"""What models are trained on: arrays in the order of inputs and outputs, weights, and batches."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dataflow.keras import ops
from dataflow.values import nest


def standardize_input_data(
    data: Any,
    names: list[str],
    shapes: Any = None,
    check_batch_axis: bool = True,
    exception_prefix: str = "",
) -> list[Any]:
    """Arrays in the order of names, vectors as matrices of one column.

    Args:
      data: An array, a list of them, or a dictionary by names.
      names: The names of what they are for.
      shapes: The shapes that they must have, None where any will do.
      check_batch_axis: Whether the first size counts.
      exception_prefix: What errors call it.

    Raises:
      ValueError: There are too many, too few, or of another shape.
    """
    if not names:
        if data is None or isinstance(data, Mapping) or all(map(_is_tensor, nest.flatten(data))):
            return []
        if hasattr(data, "__len__") and len(data):
            raise ValueError(
                f"Error when checking model {exception_prefix}: expected no data, but got: {data}"
            )
        return []
    if data is None:
        return [None] * len(names)
    if isinstance(data, Mapping):
        try:
            listed = [data[name] for name in names]
        except KeyError as error:
            raise ValueError(
                f'No data provided for "{error.args[0]}". Need data for each key in: {names}'
            ) from None
    elif isinstance(data, (list, tuple)):
        if data and isinstance(data[0], list):
            listed = [np.asarray(each) for each in data]
        elif len(names) == 1 and data and isinstance(data[0], (float, int)):
            listed = [np.asarray(data)]
        else:
            listed = list(data)
    else:
        listed = [data]
    wanted = shapes if shapes is not None and len(shapes) == len(listed) else [None] * len(listed)
    arrays = [_array(each, shape) for each, shape in zip(listed, wanted, strict=True)]
    if len(arrays) != len(names):
        raise ValueError(
            f"Error when checking model {exception_prefix}: the list of Numpy arrays that you are "
            "passing to your model is not the size the model expected. Expected to see "
            f"{len(names)} array(s), but instead got the following list of {len(arrays)} arrays: "
            f"{str(data)[:200]}..."
        )
    if shapes is not None:
        for name, array, shape in zip(names, arrays, shapes, strict=True):
            _check_shape(name, array, shape, check_batch_axis, exception_prefix)
    return arrays


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (ops.Tensor, ops.SparseTensor, ops.Variable))


def _array(value: Any, shape: Any = None) -> Any:
    """An array; a vector as a matrix of one column, unless a shape says that it is to be one."""
    if value is None or _is_tensor(value) or hasattr(value, "tocoo"):
        return value
    if hasattr(value, "values") and type(value).__module__.startswith("pandas"):
        value = value.values
    array = (
        value if hasattr(value, "shape") and hasattr(value, "__getitem__") else np.asarray(value)
    )
    as_column = array.ndim == 1 and (shape is None or len(shape) != 1)
    return np.expand_dims(array, 1) if as_column else array


def _check_shape(name: str, array: Any, shape: Any, batch: bool, prefix: str) -> None:
    if array is None or shape is None or hasattr(array, "tocoo"):
        return
    if _is_tensor(array):
        return
    found = tuple(array.shape)
    wanted = tuple(shape)
    if len(found) != len(wanted):
        raise ValueError(
            f"Error when checking {prefix}: expected {name} to have {len(wanted)} dimensions, but "
            f"got array with shape {found}"
        )
    first = 0 if batch else 1
    for want, have in list(zip(wanted, found, strict=True))[first:]:
        if want is not None and have is not None and want != have:
            raise ValueError(
                f"Error when checking {prefix}: expected {name} to have shape {wanted[first:]} but "
                f"got array with shape {found[first:]}"
            )


def standardize_sample_weights(weights: Any, names: list[str]) -> list[Any]:
    """Weights in the order of outputs, None where there are none."""
    return _of_outputs(weights, names, "sample_weight")


def class_weights_of(weights: Any, names: list[str]) -> list[Any]:
    """The weights of classes for each output."""
    return _of_outputs(weights, names, "class_weight")


def _of_outputs(weights: Any, names: list[str], what: str) -> list[Any]:
    """What is given for each output, None where nothing is.

    Raises:
      TypeError: It is neither a list nor a dictionary, for several outputs.
      ValueError: The list has another length, or a name is that of no output.
    """
    if weights is None or (isinstance(weights, (list, tuple)) and not weights):
        return [None] * len(names)
    if len(names) == 1:
        if isinstance(weights, (list, tuple)) and len(weights) == 1:
            return list(weights)
        is_named = isinstance(weights, Mapping) and names[0] in weights
        return [weights[names[0]] if is_named else weights]
    if isinstance(weights, (list, tuple)):
        if len(weights) != len(names):
            raise ValueError(
                f"Provided `{what}` was a list of {len(weights)} elements, but the model has "
                f"{len(names)} outputs. You should provide one `{what}`array per model output."
            )
        return list(weights)
    if isinstance(weights, Mapping):
        unknown = [name for name in weights if name not in names]
        if unknown:
            raise ValueError(
                f"Unknown entries in {what} dictionary: {unknown}. Only expected following keys: "
                f"{names}"
            )
        return [weights.get(name) for name in names]
    raise TypeError(
        f"The model has multiple outputs, so `{what}` should be either a list or a dict. Provided "
        f"`{what}` type not understood: {weights}"
    )


def standardize_weights(y: Any, sample_weight: Any, class_weight: Any, mode: str | None) -> Any:
    """The weight of each sample, by its own and that of its class; None for neither.

    Raises:
      ValueError: The weights have too many dimensions, or do not go with the targets; the mode is
        unknown, or one of time without a dimension of it; or a class has none.
    """
    shape = None if y is None else tuple(y.shape)
    if mode not in (None, "samplewise", "temporal"):
        raise ValueError(f'"sample_weight_mode should be None or "temporal". Found: {mode}')
    if mode == "temporal" and shape is not None and len(shape) < 3:
        raise ValueError(
            f"Found a sample_weight array for an input with shape {shape}. Timestep-wise sample "
            'weighting (use of sample_weight_mode="temporal") is restricted to outputs that are at '
            "least 3D, i.e. that have a time dimension."
        )
    if sample_weight is not None:
        sample_weight = np.asarray(sample_weight)
        if mode == "temporal" and sample_weight.ndim != 2:
            raise ValueError(
                f"Found a sample_weight array with shape {sample_weight.shape}. In order to use "
                "timestep-wise sample weighting, you should pass a 2D sample_weight array."
            )
        if mode != "temporal" and sample_weight.ndim != 1:
            if sample_weight.ndim == 2 and sample_weight.shape[1] == 1:
                sample_weight = sample_weight[:, 0]
            else:
                raise ValueError(
                    f"Found a sample_weight array with shape {sample_weight.shape}. In order to "
                    "use timestep-wise sample weights, you should specify "
                    'sample_weight_mode="temporal" in compile(). If you just mean to use '
                    "sample-wise weights, make sure your sample_weight array is 1D."
                )
        is_known = shape is not None and not _is_tensor(y)
        if is_known and sample_weight.shape[1:] != shape[1 : sample_weight.ndim]:  # type: ignore[index]
            raise ValueError(
                f"Found a sample_weight array with shape {sample_weight.shape} for an input with "
                f"shape {shape}. sample_weight cannot be broadcast."
            )
    if not isinstance(class_weight, Mapping):
        return sample_weight
    y = np.asarray(y)
    if y.ndim > 2:
        raise ValueError("`class_weight` not supported for 3+ dimensional targets.")
    classes = np.argmax(y, axis=1) if y.ndim == 2 and y.shape[1] > 1 else y.reshape(-1)
    missing = set(classes.tolist()) - set(class_weight)
    if missing:
        raise ValueError(
            "`class_weight` must contain all classes in the data. The classes "
            f"{missing} exist in the data but not in `class_weight`."
        )
    of_class = np.asarray([class_weight[each] for each in classes.tolist()], np.float64)
    return of_class if sample_weight is None else of_class * sample_weight


def check_lengths(inputs: list[Any], targets: list[Any], weights: list[Any]) -> None:
    """Raises ValueError unless all arrays have as many rows."""

    def rows(arrays: list[Any]) -> set[int]:
        return {
            len(each) if not hasattr(each, "tocoo") else each.shape[0]
            for each in arrays
            if each is not None and not _is_tensor(each)
        }

    for arrays, what in (
        (inputs, "input arrays (x)"),
        (targets, "target arrays (y)"),
        (weights, "sample_weight arrays"),
    ):
        if len(rows(arrays)) > 1:
            raise ValueError(
                f"All {what} should have the same number of samples. Got array shapes: "
                f"{[np.shape(each) for each in arrays]}"
            )
    ours, theirs = rows(inputs), rows(targets)
    if ours and theirs and ours != theirs:
        raise ValueError(
            f"Input arrays should have the same number of samples as target arrays. Found "
            f"{min(ours)} input samples and {min(theirs)} target samples."
        )
    if theirs and rows(weights) and rows(weights) != theirs:
        raise ValueError(
            f"Sample_weight arrays should have the same number of samples as target arrays. Got "
            f"{min(theirs)} input samples and {min(rows(weights))} target samples."
        )


def rows_of(arrays: list[Any], index: Any) -> list[Any]:
    """Some rows of each array; dense, if it is sparse."""
    found = []
    for each in arrays:
        if each is None or _is_tensor(each):
            found.append(each)
        elif hasattr(each, "tocsr"):
            found.append(each.tocsr()[index].toarray())
        else:
            found.append(each[index])
    return found


def count_rows(arrays: list[Any]) -> int | None:
    """How many rows there are."""
    for each in arrays:
        if each is not None and not _is_tensor(each):
            return int(each.shape[0])
    return None


def is_dataset(x: Any) -> bool:
    """Whether it is a dataset of tf.data."""
    return hasattr(x, "make_one_shot_iterator") and hasattr(x, "output_types")


def is_iterator(x: Any) -> bool:
    """Whether it is an iterator of tf.data."""
    return hasattr(x, "get_next") and hasattr(x, "output_types")


def is_sequence(x: Any) -> bool:
    """Whether it gives batches by their number: `tf.keras.utils.Sequence`, or like one."""
    return (
        not isinstance(x, (list, tuple, str, Mapping, np.ndarray))
        and hasattr(x, "__getitem__")
        and hasattr(x, "__len__")
        and (hasattr(x, "on_epoch_end") or any(c.__name__ == "Sequence" for c in type(x).__mro__))
    )


def is_batches(x: Any) -> bool:
    """Whether it gives batches itself."""
    return (
        is_dataset(x)
        or is_iterator(x)
        or is_sequence(x)
        or inspect.isgenerator(x)
        or (isinstance(x, Iterator) or (hasattr(x, "__next__") and not hasattr(x, "shape")))
    )


class Batches:
    """Batches of a generator, sequence, dataset or iterator, as often as they are wanted.

    Attributes:
      steps: How many there are, if that is known.
    """

    def __init__(self, source: Any) -> None:
        self.source = source
        self.steps = len(source) if is_sequence(source) else None
        self._next: Any = None
        self._order: Any = None

    def start(self, shuffle: bool = False) -> None:
        """Begins an epoch: sequences and datasets at their start, generators where they are."""
        if is_sequence(self.source):
            self._order = np.arange(len(self.source))
            if shuffle:
                np.random.shuffle(self._order)
            self._next = iter(self._order)
        elif (is_dataset(self.source) and self._next is None) or (
            is_iterator(self.source) and self._next is None
        ):
            self._next = self._rows_of_tensors(self.source)
        elif self._next is None:
            self._next = iter(self.source)

    def again(self) -> None:
        """Lets a dataset begin anew."""
        if is_dataset(self.source):
            self._next = None

    def end(self) -> None:
        """An epoch is over."""
        if hasattr(self.source, "on_epoch_end"):
            self.source.on_epoch_end()

    def take(self) -> Any:
        """The next batch.

        Raises:
          StopIteration: There is none.
        """
        item = next(self._next)
        return self.source[int(item)] if is_sequence(self.source) else item

    def _rows_of_tensors(self, source: Any) -> Iterator[Any]:
        from dataflow.errors import OutOfRangeError
        from dataflow.keras.backend import get_session

        if is_dataset(source):
            made = getattr(self, "_iterator", None)
            if made is None:
                made = self._iterator = source.make_initializable_iterator()
                self._tensors = made.get_next()
            get_session().run(made.initializer)
            tensors = self._tensors
        else:
            tensors = source.get_next()
        while True:
            try:
                yield get_session().run(tensors)
            except OutOfRangeError:
                return


def parts_of(batch: Any) -> tuple[Any, Any, Any]:
    """Inputs, targets and weights of a batch: a tuple of one to three, or inputs alone."""
    if not isinstance(batch, tuple):
        return batch, None, None
    if len(batch) > 3:
        raise ValueError(
            "Output of generator should be a tuple of 1 or 2 or 3 elements: (input,) or (input, "
            f"target) or (input, target, sample_weights). Received {str(batch)[:200]}"
        )
    return (*batch, *[None] * (3 - len(batch)))
