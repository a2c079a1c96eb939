"""Assertions about arrays, tensors and nested structures of them, for `tf.test.TestCase`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np
from absl.testing import absltest

from dataflow.graph.tensor import Tensor
from dataflow.library.inspection import is_tensor
from dataflow.library.ragged.tensor import RaggedTensor, is_ragged


class ArrayAssertions(absltest.TestCase):
    """Assertions that evaluate the tensors among their arguments."""

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors.

        Raises:
          NotImplementedError: The class that has the sessions does not define it.
        """
        raise NotImplementedError

    def _array(self, value: Any) -> np.ndarray:
        if is_tensor(value) or (
            isinstance(value, (list, tuple)) and any(is_tensor(item) for item in value)
        ):
            value = self.evaluate(value)
        return value if isinstance(value, np.ndarray) else np.array(value)

    def _GetNdArray(self, a: Any) -> np.ndarray:
        """An array of a value, as tests ask for it that were written for TensorFlow."""
        return self._array(a)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Structures have the same form, and their arrays elements within tolerances.

        Args:
          a: Arrays, tensors, numbers, or lists, tuples and dicts of them.
          b: The same.
          rtol: Tolerance as a share of the element of `b`.
          atol: Tolerance added to that.
          msg: Text for the failure.
        """
        if is_ragged(a) or is_ragged(b):
            self._assert_lists_close(self._lists(a), self._lists(b), rtol, atol, msg)
            return
        self._assert_all_close(a, b, rtol, atol, msg, "")

    def _lists(self, value: Any) -> Any:
        """A value, which may be ragged, in nested lists."""
        if is_tensor(value) or isinstance(value, RaggedTensor):
            value = self.evaluate(value)
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, (list, tuple)):
            return [self._lists(item) for item in value]
        return value.to_list() if is_ragged(value) else value

    def _assert_lists_close(self, a: Any, b: Any, rtol: float, atol: float, msg: Any) -> None:
        self.assertEqual(isinstance(a, list), isinstance(b, list), msg)
        if not isinstance(a, list):
            self._assert_all_close(a, b, rtol, atol, msg, "")
            return
        self.assertEqual(len(a), len(b), msg)
        for first, second in zip(a, b, strict=True):
            self._assert_lists_close(first, second, rtol, atol, msg)

    def _assert_all_close(
        self, a: Any, b: Any, rtol: float, atol: float, msg: Any, path: str
    ) -> None:
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg or ''}")
        if isinstance(a, Mapping):
            self.assertCountEqual(
                a.keys(),
                b.keys(),
                f"mismatched keys: a{path} has keys {a.keys()}, but b{path} has keys {b.keys()}. "
                f"{msg or ''}",
            )
            for key in a:
                self._assert_all_close(a[key], b[key], rtol, atol, msg, f"{path}[{key}]")
            return
        if isinstance(a, (list, tuple)) and not self._is_array(a, b):
            self.assertEqual(len(a), len(b), f"mismatched length: a{path}, b{path}. {msg or ''}")
            for number, (first, second) in enumerate(zip(a, b, strict=True)):
                self._assert_all_close(first, second, rtol, atol, msg, f"{path}[{number}]")
            return
        self._assert_arrays_close(self._array(a), self._array(b), rtol, atol, msg, path)

    def _is_array(self, a: Any, b: Any) -> bool:
        """True if two sequences can be taken as arrays."""
        try:
            kinds = {self._array(a).dtype.kind, self._array(b).dtype.kind}
        except (NotImplementedError, TypeError, ValueError):
            return False
        return "O" not in kinds

    def _assert_arrays_close(
        self, a: np.ndarray, b: np.ndarray, rtol: float, atol: float, msg: Any, path: str
    ) -> None:
        shown = f" with contents {b}" if b.ndim <= 3 or b.size < 500 else ""
        self.assertEqual(
            a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}{shown}."
        )
        first, second = _wide(a), _wide(b)
        if np.allclose(first, second, rtol=rtol, atol=atol):
            return
        difference = np.abs(first - second)
        wrong = (difference > atol + rtol * np.abs(second)) | (np.isnan(first) != np.isnan(second))
        if np.ndim(first) == 0:
            where: Any = ()
        else:
            where = np.where(wrong)
        lines = [
            f"Mismatched value: a{path} is different from b{path}. {msg or ''}",
            *([f"not close where = {where}"] if np.ndim(first) else ()),
            f"not close lhs = {first[where]}",
            f"not close rhs = {second[where]}",
            f"not close dif = {difference[where]}",
            f"not close tol = {atol + rtol * np.abs(second[where])}",
            f"dtype = {a.dtype}, shape = {a.shape}",
        ]
        np.testing.assert_allclose(
            first,
            second,
            rtol=rtol,
            atol=atol,
            err_msg="\n".join(lines),
            equal_nan=True,
        )

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: Any = None,
    ) -> None:
        """assertAllClose with the tolerances of the narrower of the two element types."""
        first, second = self._array(a), self._array(b)
        types = (first.dtype, second.dtype)
        for kinds, relative, absolute in (
            ((np.float32, np.complex64), float_rtol, float_atol),
            ((np.float16,), half_rtol, half_atol),
            ((ml_dtypes.bfloat16,), bfloat16_rtol, bfloat16_atol),
        ):
            if any(each == kind for each in types for kind in kinds):
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(first, second, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """assertAllClose would fail."""
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are close at all elements. {msg or ''}")

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Two arrays or tensors have the same shape and elements; NaN equals NaN."""
        if _is_uneven(a) or _is_uneven(b):
            self.assertEqual(self._lists(a), self._lists(b), msg)
            return
        first, second = self._array(a), self._array(b)
        if first.dtype.kind in "SOU" or second.dtype.kind in "SOU":
            first, second = _as_text(first), _as_text(second)
        self.assertEqual(
            first.shape,
            second.shape,
            f"Shape mismatch: expected {first.shape}, got {second.shape}. {msg or ''}",
        )
        same = first == second
        if first.dtype.kind in "fc" and second.dtype.kind in "fc":
            same = same | (np.isnan(first) & np.isnan(second))
        if not np.all(same):
            where = np.where(~np.asarray(same)) if first.ndim else ()
            lines = [
                f"not equal where = {where}",
                f"not equal lhs = {first[where]!r}",
                f"not equal rhs = {second[where]!r}",
            ]
            raise AssertionError("\n".join([*([str(msg)] if msg else []), *lines]))

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """assertAllEqual would fail."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater than a number."""
        self._assert_all(a, lambda array: array > comparison_target, f"> {comparison_target}")

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are at least a number."""
        self._assert_all(a, lambda array: array >= comparison_target, f">= {comparison_target}")

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """All elements are less than a number."""
        self._assert_all(a, lambda array: array < comparison_target, f"< {comparison_target}")

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are at most a number."""
        self._assert_all(a, lambda array: array <= comparison_target, f"<= {comparison_target}")

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """All elements lie between two numbers, which are included unless told otherwise."""

        def holds(array: np.ndarray) -> Any:
            if array.dtype.kind not in "iuf":
                raise AssertionError(
                    f"The value of {target} does not have an ordered numeric type, instead it has "
                    f"type: {array.dtype}"
                )
            above = array > lower_bound if open_lower_bound else array >= lower_bound
            return above & (array < upper_bound if open_upper_bound else array <= upper_bound)

        self._assert_all(target, holds, f"between {lower_bound} and {upper_bound}")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """All elements are among some values."""
        allowed = np.array(list(expected_set))
        self._assert_all(target, lambda array: np.isin(array, allowed), f"in {expected_set}")

    def _assert_all(self, a: Any, holds: Any, what: str) -> None:
        array = self._array(a)
        fine = np.asarray(holds(array))
        if not fine.all():
            raise AssertionError(f"Not all elements are {what}: {array[~fine]}")

    def _NDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float) -> bool:
        """Whether the distance of two arrays is less than `err`."""
        return bool(np.linalg.norm(ndarray1 - ndarray2) < err)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: Any = None) -> None:
        """Two numbers differ by `err` at most."""
        first, second = float(np.squeeze(f1)), float(np.squeeze(f2))
        if first != second:
            difference = math.fabs(first - second)
            self.assertTrue(
                difference <= err,
                f"{first} != {second} +/- {err} (difference: {difference}) {msg or ''}",
            )

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        """The numbers of two sequences differ by `err` at most."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for first, second in zip(farray1, farray2, strict=True):
            self.assertNear(float(first), float(second), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: Any = None) -> None:
        """The Euclidean distance of two arrays is below `err`."""
        first, second = np.asarray(ndarray1), np.asarray(ndarray2)
        self.assertEqual(first.shape, second.shape, msg)
        self.assertTrue(np.linalg.norm((first - second).ravel()) < err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Any = None) -> None:
        """Two arrays or tensors have the same shape, as far as it is known statically."""
        self.assertAllEqual(_static_shape(input_a), _static_shape(input_b), msg=msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """The elements have that numpy type."""
        self.assertEqual(self._array(target).dtype, expected_dtype)


def _static_shape(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.shape.as_list()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.shape
    raise TypeError(
        f"Must be a Numpy ndarray, Numpy scalar, or a Tensor. Instead received {type(value)}"
    )


def _is_uneven(value: Any) -> bool:
    """True for a ragged tensor, and for a sequence whose parts have different lengths."""
    if is_ragged(value):
        return True
    if not isinstance(value, (list, tuple)) or any(is_tensor(item) for item in value):
        return False
    try:
        np.array(value)
    except ValueError:
        return True
    return False


def _as_text(array: np.ndarray) -> np.ndarray:
    """Strings of any kind as bytes, in an array of objects."""
    flat = [item.encode() if isinstance(item, str) else item for item in array.ravel().tolist()]
    result = np.empty(len(flat), object)
    result[:] = flat
    return result.reshape(array.shape)


def _wide(array: np.ndarray) -> np.ndarray:
    """The array with elements numpy can compare within tolerances."""
    return array if array.dtype.kind in "biufc" else array.astype(np.float32)
