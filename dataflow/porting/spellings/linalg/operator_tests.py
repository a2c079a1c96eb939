"""tensorflow.python.ops.linalg.linear_operator_test_util: operators beside their matrices."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.differentiation.gradients import gradients
from dataflow.graph.graph import Graph
from dataflow.graph.random_seed import DEFAULT_GRAPH_SEED
from dataflow.library.linalg.simple import adjoint as adjoint_of
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg import inverse
from dataflow.ops.linalg.cholesky import cholesky
from dataflow.ops.linalg.diag import matrix_diag_part
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.linalg.tensordot import trace
from dataflow.porting.spellings.linalg.linear_operators import matrix_solve_with_broadcast
from dataflow.porting.spellings.linalg.matrices import (
    random_normal,
    random_normal_correlated_columns,
    random_positive_definite_matrix,
    random_sign_uniform,
    random_tril_matrix,
    random_uniform,
)
from dataflow.testing.graph_test_case import TestCase
from dataflow.values import dtypes

__all__ = [
    "random_normal",
    "random_normal_correlated_columns",
    "random_positive_definite_matrix",
    "random_sign_uniform",
    "random_tril_matrix",
    "random_uniform",
]

_EXACT: Final = {
    dtypes.float16: 1e-3,
    dtypes.float32: 1e-6,
    dtypes.float64: 1e-12,
    dtypes.complex64: 1e-6,
    dtypes.complex128: 1e-12,
}


class OperatorShapesInfo:
    """The shape of a matrix, and what else a test says of it."""

    def __init__(self, shape: Sequence[int], **kwargs: Any) -> None:
        """Takes the shape, and attributes to have."""
        self.shape = shape
        self.__dict__.update(kwargs)


class CheckTapeSafeSkipOptions:
    """What `check_tape_safe` can leave out."""

    DETERMINANT = "determinant"
    DIAG_PART = "diag_part"
    LOG_ABS_DETERMINANT = "log_abs_determinant"
    TRACE = "trace"


class LinearOperatorDerivedClassTest(TestCase, metaclass=abc.ABCMeta):
    """Tests of a class of operators, each beside a matrix; `add_tests` gives them to a subclass."""

    _atol: Any = _EXACT
    _rtol: Any = _EXACT

    def assertAC(self, x: Any, y: Any) -> None:
        """Two arrays are as close as their type says."""
        dtype = dtypes.as_dtype(x.dtype)
        self.assertAllClose(x, y, atol=self._atol[dtype], rtol=self._rtol[dtype])

    @staticmethod
    def adjoint_options() -> Sequence[bool]:
        """Whether operators are taken adjoint."""
        return [False, True]

    @staticmethod
    def adjoint_arg_options() -> Sequence[bool]:
        """Whether arguments are taken adjoint."""
        return [False, True]

    @staticmethod
    def dtypes_to_test() -> Sequence[Any]:
        """The element types."""
        return [dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128]

    @staticmethod
    def use_placeholder_options() -> Sequence[bool]:
        """Whether shapes are hidden by placeholders."""
        return [False, True]

    @staticmethod
    def operator_shapes_infos() -> Sequence[OperatorShapesInfo]:
        """The shapes."""
        raise NotImplementedError("operator_shapes_infos has not been implemented.")

    @abc.abstractmethod
    def operator_and_matrix(
        self,
        shapes_info: Any,
        dtype: Any,
        use_placeholder: bool,
        ensure_self_adjoint_and_pd: bool = False,
    ) -> tuple[Any, Any]:
        """An operator and its matrix."""

    @abc.abstractmethod
    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """A right side that the operator can be solved for."""

    @abc.abstractmethod
    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """What the operator can be multiplied by."""

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        """Names of tests that a class has not."""
        return []

    def assertRaisesError(self, msg: str) -> Any:
        """A context that an error of an operation must leave."""
        return self.assertRaisesOpError(msg)

    def check_tape_safe(self, operator: Any, skip_options: Sequence[str] | None = None) -> None:
        """All that an operator computes has gradients for its variables.

        Args:
          operator: The operator.
          skip_options: Of `CheckTapeSafeSkipOptions`.
        """
        if not operator.variables:
            raise AssertionError("`operator.variables` was empty")

        def check(made: Any) -> None:
            for each in gradients(made, operator.variables):
                self.assertIsNotNone(each)

        x = cast(ones(shape=operator.H.shape_tensor()[:-1]), operator.dtype)
        check(operator.to_dense())
        check(operator.adjoint().to_dense())
        check(operator.matvec(x))
        if not operator.is_square:
            return
        for option in ("determinant", "log_abs_determinant", "diag_part", "trace"):
            if option not in (skip_options or ()):
                check(getattr(operator, option)())
        if operator.is_non_singular is not False:
            check(operator.inverse().to_dense())
            check(operator.solvevec(x))
            if operator.is_self_adjoint and operator.is_positive_definite:
                check(operator.cholesky().to_dense())

    def _compare(
        self,
        made: Callable[[Any], Any],
        expected: Callable[[Any], Any],
        info: OperatorShapesInfo,
        dtype: Any,
        hidden: bool,
        **options: Any,
    ) -> None:
        with self.session(graph=Graph()) as session:
            session.graph.seed = DEFAULT_GRAPH_SEED
            operator, matrix = self.operator_and_matrix(
                info, dtype, use_placeholder=hidden, **options
            )
            of_operator, of_matrix = made(operator), expected(matrix)
            if not hidden:
                self.assertAllEqual(of_operator.shape, of_matrix.shape)
            self.assertAC(*session.run([of_operator, of_matrix]))

    def _compare_products(
        self,
        solves: bool,
        broadcasts: bool,
        info: OperatorShapesInfo,
        dtype: Any,
        hidden: bool,
        adjoint: bool,
        adjoint_arg: bool,
    ) -> None:
        if broadcasts and len(info.shape) <= 2:
            return
        with self.session(graph=Graph()) as session:
            session.graph.seed = DEFAULT_GRAPH_SEED
            operator, matrix = self.operator_and_matrix(info, dtype, use_placeholder=hidden)
            make = self.make_rhs if solves else self.make_x
            x = make(operator, adjoint=adjoint, with_batch=not broadcasts)
            call = operator.solve if solves else operator.matmul
            given = adjoint_of(x) if adjoint_arg else x
            of_operator = call(given, adjoint=adjoint, adjoint_arg=adjoint_arg)
            if solves:
                of_matrix = matrix_solve_with_broadcast(matrix, x, adjoint=adjoint)
            else:
                of_matrix = matmul(matrix, x, adjoint_a=adjoint)
            if not hidden:
                self.assertAllEqual(of_operator.shape, of_matrix.shape)
            self.assertAC(*session.run([of_operator, of_matrix]))


class _WithSystems(LinearOperatorDerivedClassTest):
    """Makes arguments of as many columns as are of use."""

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """Normal numbers that the operator can be multiplied by."""
        columns = self._get_num_systems(operator)
        if operator.shape.is_fully_defined():
            dimension = operator.range_dimension if adjoint else operator.domain_dimension
            batch: list[Any] = operator.batch_shape.as_list() if with_batch else []
            return random_normal([*batch, dimension.value, columns], dtype=operator.dtype)
        rows = operator.range_dimension_tensor() if adjoint else operator.domain_dimension_tensor()
        sizes: Any = [rows, columns]
        if with_batch:
            sizes = concat([operator.batch_shape_tensor(), sizes], 0)
        return random_normal(sizes, dtype=operator.dtype)

    def _get_num_systems(self, operator: Any) -> int:
        return 1 if operator.tensor_rank is None or operator.tensor_rank % 2 else 2


class SquareLinearOperatorDerivedClassTest(_WithSystems):
    """Tests of a class of square operators."""

    @staticmethod
    def operator_shapes_infos() -> Sequence[OperatorShapesInfo]:
        """The shapes: one matrix and batches."""
        shapes = ((0, 0), (1, 1), (1, 3, 3), (3, 4, 4), (2, 1, 4, 4))
        return [OperatorShapesInfo(shape) for shape in shapes]

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """What the adjoint can be multiplied by."""
        return self.make_x(operator, adjoint=not adjoint, with_batch=with_batch)


class NonSquareLinearOperatorDerivedClassTest(_WithSystems):
    """Tests of a class of operators that are not square."""

    @staticmethod
    def skip_these_tests() -> Sequence[str]:
        """What only square operators can be asked for."""
        return ["cholesky", "inverse", "solve", "solve_with_broadcast", "det", "log_abs_det"]

    @staticmethod
    def operator_shapes_infos() -> Sequence[OperatorShapesInfo]:
        """The shapes: one matrix and batches."""
        shapes = ((2, 1), (1, 2), (1, 3, 2), (3, 3, 4), (2, 1, 2, 4))
        return [OperatorShapesInfo(shape) for shape in shapes]

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """Nothing: such operators are not solved for."""
        raise NotImplementedError("make_rhs not implemented because we don't test solve")


_COMPARED: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "add_to_tensor": (lambda a: a.add_to_tensor(2 * a.to_dense()), lambda m: 3 * m),
    "adjoint": (lambda a: a.H.to_dense(), adjoint_of),
    "cholesky": (lambda a: a.cholesky().to_dense(), cholesky),
    "det": (lambda a: a.determinant(), inverse.matrix_determinant),
    "diag_part": (lambda a: a.diag_part(), matrix_diag_part),
    "inverse": (lambda a: a.inverse().to_dense(), inverse.matrix_inverse),
    "log_abs_det": (lambda a: a.log_abs_determinant(), lambda m: inverse.slogdet(m)[1]),
    "to_dense": (lambda a: a.to_dense(), lambda m: m),
    "trace": (lambda a: a.trace(), trace),
}
"""Name of a test -> what an operator is asked for, and the same of its matrix."""
_PRODUCTS: Final = ("matmul", "matmul_with_broadcast", "solve", "solve_with_broadcast")


def add_tests(test_cls: Any) -> None:
    """Gives a class of tests one for each element type and shape.

    Raises:
      RuntimeError: It has one of them already.
    """
    skipped = test_cls.skip_these_tests()
    cases = itertools.product(
        test_cls.dtypes_to_test(),
        test_cls.use_placeholder_options(),
        test_cls.operator_shapes_infos(),
    )
    for dtype, hidden, info in cases:
        about = f"_shape={info.shape},dtype={dtype},use_placeholder={hidden}"
        for name in _COMPARED.keys() - set(skipped):
            _add(test_cls, f"test_{name}_{about}", _compared(name, info, dtype, hidden))
        for name in set(_PRODUCTS).difference(skipped):
            options = (test_cls.adjoint_options(), test_cls.adjoint_arg_options())
            for adjoint, of_arg in itertools.product(*options):
                test = _product(name, info, dtype, hidden, adjoint, of_arg)
                full = f"test_{name}_{about},adjoint={adjoint},adjoint_arg={of_arg}"
                _add(test_cls, full, test)


def _add(test_cls: Any, name: str, test: Callable[[Any], None]) -> None:
    if hasattr(test_cls, name):
        raise RuntimeError(f"Test {name} defined more than once")
    setattr(test_cls, name, test)


def _compared(name: str, info: Any, dtype: Any, hidden: bool) -> Callable[[Any], None]:
    made, expected = _COMPARED[name]
    options = {"ensure_self_adjoint_and_pd": True} if name == "cholesky" else {}
    return lambda self: self._compare(made, expected, info, dtype, hidden, **options)


def _product(name: str, *options: Any) -> Callable[[Any], None]:
    solves, broadcasts = name.startswith("solve"), name.endswith("broadcast")
    return lambda self: self._compare_products(solves, broadcasts, *options)
