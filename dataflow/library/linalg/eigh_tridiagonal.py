"""Eigenvalues of self-adjoint tridiagonal matrices."""

from __future__ import annotations

from typing import Any

import dataflow.ops.math.complex as math_complex
from dataflow.errors import InvalidArgumentError
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.diag import matrix_diag
from dataflow.ops.linalg.eigen import self_adjoint_eig, self_adjoint_eigvals
from dataflow.ops.math.compare import logical_and


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues, and eigenvectors, of a self-adjoint tridiagonal matrix.

    Args:
      alpha: The main diagonal, `[n]`; only its real part counts.
      beta: The diagonal above it, `[n - 1]`; the one below holds the conjugates.
      eigvals_only: Whether to leave the eigenvectors out.
      select: "a" for all, "v" for those in (min, max], "i" for those from one index to another.
      select_range: The bounds (min, max) or the first and the last index.
      tol: Allowed error; all values are as exact as the type allows.
      name: Name of the scope of the operations.

    Returns:
      The eigenvalues, ascending, or the tuple of them and of the eigenvectors as columns.

    Raises:
      ValueError: `select` is none of these.
      InvalidArgumentError: The range is empty.
    """
    with name_scope(name, "eigh_tridiagonal"):
        alpha = convert_to_tensor(alpha, name="alpha")
        beta = convert_to_tensor(beta, dtype=alpha.dtype, name="beta")
        if select not in ("a", "i", "v"):
            raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
        if select == "v" and not select_range[0] < select_range[1]:
            raise InvalidArgumentError(None, None, "Got empty interval in select_range.")
        if select == "i" and not select_range[0] <= select_range[1]:
            raise InvalidArgumentError(None, None, "Got empty index range in select_range.")
        diagonal: Any = matrix_diag(cast(math_complex.real(alpha), alpha.dtype))
        lower: Any = matrix_diag(math_complex.conj(beta), k=-1)
        both = diagonal if alpha.shape.as_list() == [1] else diagonal + lower
        values: Any
        vectors: Any = None
        if eigvals_only:
            values = self_adjoint_eigvals(both)
        else:
            values, vectors = self_adjoint_eig(both)
        values = math_complex.real(values)
        if select == "i":
            first, last = select_range
            values = values[first : last + 1]
            vectors = None if vectors is None else vectors[:, first : last + 1]
        elif select == "v":
            chosen = logical_and(values > select_range[0], values <= select_range[1])
            values = boolean_mask(values, chosen)
            if vectors is not None:
                vectors = boolean_mask(vectors, chosen, axis=1)
        return values if vectors is None else (values, vectors)
