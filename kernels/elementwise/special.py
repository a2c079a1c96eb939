"""Special functions by op type, over a library of them: scipy.special or its twin for cupy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.element_types import FLOATS
from dataflow.kernels.contract.precision import widened
from dataflow.kernels.contract.registry import KernelNode
from dataflow.kernels.memory.orders import in_line
from dataflow.kernels.threads.parallel import split
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

UNARY: Final = {
    "Erf": "erf",
    "Erfc": "erfc",
    "Erfinv": "erfinv",
    "Ndtri": "ndtri",
    "BesselI0": "i0",
    "BesselI0e": "i0e",
    "BesselI1": "i1",
    "BesselI1e": "i1e",
    "BesselK0": "k0",
    "BesselK0e": "k0e",
    "BesselK1": "k1",
    "BesselK1e": "k1e",
    "BesselJ0": "j0",
    "BesselJ1": "j1",
    "BesselY0": "y0",
    "BesselY1": "y1",
    "Dawsn": "dawsn",
    "Expint": "expi",
    "Spence": "spence",
}
"""Op type -> name of the function."""

BINARY: Final = {"Zeta": "zeta", "Igamma": "gammainc", "Igammac": "gammaincc"}
"""Op type of two operands -> name of the function."""

_GRAIN: Final = 2048
"""Elements worth a thread: they take scipy 40 to 400 us."""
_EXACT = (dtypes.float32, dtypes.float64)
_NO_BFLOAT16 = (dtypes.half, *_EXACT)


def types_of(op: str) -> dict[str, tuple[DType, ...]]:
    """The element types that TensorFlow's CPU kernel of the op takes."""
    if op in ("Erf", "Erfc"):
        return {"T": FLOATS}
    if op in ("Lgamma", "Digamma") or op.startswith("Bessel"):
        return {"T": _NO_BFLOAT16}
    return {"T": _EXACT}


def in_type(node: KernelNode, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with a result of the inputs' type, whatever the library computes in.

    Returns:
      `f(*arrays, out=None)`.
    """
    dtype = node.output_dtypes[0].as_numpy_dtype
    exact = widened(lambda *arrays: function(*arrays), node.output_dtypes[0])

    def run(*arrays: Any, out: Any = None) -> Any:
        first = arrays[0]
        if type(first) is np.ndarray and first.size >= 2 * _GRAIN:
            made = np.empty_like(first, dtype) if out is None else out
            vectors = in_line(made, *arrays) if _are_alike(first, arrays) else None
            if vectors is not None:
                result, *given = vectors

                def piece(start: int, stop: int) -> None:
                    result[start:stop] = exact(*[each[start:stop] for each in given])

                split(first.size, _GRAIN, piece)
                return made
        found = exact(*arrays)
        if out is None:
            return found.astype(dtype, copy=False)
        out[...] = found
        return out

    return run


def _are_alike(first: Any, arrays: Sequence[Any]) -> bool:
    return all(array.shape == first.shape for array in arrays)


def lgamma(special: Any, xp: Any) -> Callable[[Any], Any]:
    """gammaln, with a pole at minus infinity as at each negative integer."""
    return lambda x: xp.where(x == -xp.inf, xp.inf, special.gammaln(x))[()]


def digamma(special: Any, xp: Any) -> Callable[[Any], Any]:
    """psi, without a sign of infinity at 0 that nothing justifies."""
    return lambda x: xp.where(x == 0, xp.nan, special.digamma(x))[()]


def binary(op: str, special: Any, xp: Any) -> Callable[[Any, Any], Any]:
    """A function of two operands, which at its edges is what TensorFlow's is."""
    compute, at_edges = getattr(special, BINARY[op]), _AT_EDGES[op]
    return lambda a, b: at_edges(xp, a, b, compute(a, b))[()]


def _zeta(xp: Any, x: Any, q: Any, value: Any) -> Any:
    """With terms divided by zero, which are infinite where they have one sign on both sides."""
    limit = xp.where(q < 1, xp.inf, xp.where(q == 1, 1.0, 0.0))
    value = xp.where((x == xp.inf) & ~xp.isnan(q), limit, value)
    is_pole = (q <= 0) & (q == xp.floor(q)) & (x != 1)
    has_one_sign = (xp.fmod(x, 2) == 0) | (x == xp.inf)
    at_pole = xp.where(has_one_sign & (x > 1), xp.inf, xp.nan)
    return xp.where(is_pole, at_pole, value)


def _igamma(xp: Any, a: Any, x: Any, value: Any) -> Any:
    return xp.where(x == 0, 0.0, xp.where(a > 0, value, xp.nan))


def _igammac(xp: Any, a: Any, x: Any, value: Any) -> Any:
    return xp.where(a > 0, value, xp.nan)


_AT_EDGES: Final = {"Zeta": _zeta, "Igamma": _igamma, "Igammac": _igammac}


def polygamma(special: Any, xp: Any) -> Callable[[Any, Any], Any]:
    """(-1)**(n + 1) n! zeta(n + 1, x); see https://dlmf.nist.gov/5.15.E1. NaN for other n."""

    zeta, at_zero = binary("Zeta", special, xp), digamma(special, xp)

    def run(n: Any, x: Any) -> Any:
        sign = xp.where(xp.fmod(n, 2) == 0, -1.0, 1.0)
        value = sign * special.gamma(n + 1.0) * zeta(n + 1.0, x)
        value = xp.where(n == 0, at_zero(x), value)
        return xp.where((n == xp.floor(n)) & (n >= 0), value, xp.nan)[()]

    return run


def slope_by_order(special: Any, a: Any, x: Any) -> Any:
    """The derivative of gammainc by its order, for which scipy has no function.

    Five-point differences of step h have an error of about h**4 from the formula and of eps / h
    from rounding: h = eps**0.2 leaves eleven digits or so.
    """
    gammainc, gammaincc = special.gammainc, special.gammaincc
    a, x = np.asarray(a, np.float64), np.asarray(x, np.float64)
    h = 1e-3 * np.where(a < 1, a, np.sqrt(a))

    def at(step: float) -> Any:
        # The smaller of the two complements has more digits after the point.
        order = a + step * h
        return np.where(x < a, gammainc(order, x), -gammaincc(order, x))

    slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
    return _igamma(np, a, x, slope)[()]
