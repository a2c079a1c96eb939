"""Kernels of numbers of gamma and Poisson distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.elementwise.special import slope_by_order
from dataflow.kernels.random import rejection
from dataflow.kernels.random.fills import BLOCKS_PER_OUTPUT
from dataflow.kernels.random.keys import stream_of_key, stream_of_seed
from dataflow.kernels.random.philox import GuardedPhilox, Philox
from dataflow.kernels.random.sizes import sizes_of
from dataflow.kernels.threads.stopping import look
from dataflow.values import dtypes

_FLOATS = (dtypes.half, dtypes.float32, dtypes.float64)
_COUNTS = (*_FLOATS, dtypes.int32, dtypes.int64)

Draw = Callable[[Philox, np.ndarray, int, Any], np.ndarray]
Free = Callable[[np.ndarray, int], np.ndarray]


def _filled(node: KernelNode, draw: Draw, free: Free) -> Callable[..., Any]:
    """The callable of an op with seed attrs: samples go before the parameters' shape."""
    seeds = node.attr("seed"), node.attr("seed2")
    generator = None if seeds == (0, 0) else GuardedPhilox(*seeds)
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(shape: Any, parameters: Any) -> Any:
        sizes = _vector(shape)
        samples, count = math.prod(sizes), parameters.size
        whole = (*sizes, *parameters.shape)
        if not samples * count:
            return np.empty(whole, dtype)
        if generator is None:
            with np.errstate(all="ignore"):
                return free(parameters.reshape(-1), samples).astype(dtype).reshape(whole)
        stream = generator.reserve(samples * count * BLOCKS_PER_OUTPUT)
        return np.ascontiguousarray(draw(stream, parameters, samples, dtype)).reshape(whole)

    return run


def _vector(shape: Any) -> tuple[int, ...]:
    if np.ndim(shape) != 1:
        raise invalid(
            "shape must be a vector of {int32,int64}, got shape "
            f"{str(list(np.shape(shape))).replace(' ', '')}"
        )
    return sizes_of(shape)


def _rows(draw: Callable[[np.ndarray, tuple[int, int]], np.ndarray]) -> Free:
    """Numbers that numpy draws, a stretch of rows at a time."""

    def free(parameters: np.ndarray, samples: int) -> np.ndarray:
        count = parameters.size
        wide = parameters.astype(np.float64)
        group = max(1, (1 << 20) // count)
        parts = []
        for start in range(0, samples, group):
            look()
            parts.append(draw(wide, (min(group, samples - start), count)))
        return np.concatenate(parts)

    return free


@kernel(
    "RandomGamma",
    dtypes={"T": _FLOATS},
    host_inputs=("shape", "alpha"),
    host_outputs=("output",),
    grows=True,
)
def random_gamma(node: KernelNode, xp: Any) -> Callable[..., Any]:
    free = np.random.Generator(np.random.SFC64())

    def draw(alpha: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        found: np.ndarray = free.standard_gamma(np.where(alpha >= 0, alpha, 0), shape)
        return np.where(alpha >= 0, found, np.nan)

    return _filled(node, rejection.gamma, _rows(draw))


@kernel(
    "RandomPoissonV2",
    "RandomPoisson",
    dtypes={"dtype": _COUNTS},
    host_inputs=("shape", "rate"),
    host_outputs=("output",),
    grows=True,
)
def random_poisson(node: KernelNode, xp: Any) -> Callable[..., Any]:
    free = np.random.Generator(np.random.SFC64())
    is_float = node.output_dtypes[0].is_floating

    def draw(rate: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        # Beyond this numpy refuses: normal numbers are as good there.
        usual = (rate >= 0) & (rate < 1e18)
        found = free.poisson(np.where(usual, rate, 0), shape).astype(np.float64)
        odd = np.where(rate > 0, rate, 0) if is_float else 0 * np.ones_like(rate)
        return np.where(usual, found, odd)

    return _filled(node, rejection.poisson, _rows(draw))


def _fitted(shape: Any, parameters: Any) -> tuple[tuple[int, ...], int]:
    """The sizes, which end with those of the parameters, and how many samples of each there are."""
    sizes = _vector(shape)
    rank = parameters.ndim
    if rank > len(sizes) or sizes[len(sizes) - rank :] != parameters.shape:
        raise InvalidArgumentError(None, None, "Shape passed in must end with broadcasted shape.")
    return sizes, math.prod(sizes[: len(sizes) - rank])


def _stateless(node: KernelNode, draw: Draw) -> Callable[[Philox, Any, Any], Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(stream: Philox, shape: Any, parameters: Any) -> Any:
        sizes, samples = _fitted(shape, parameters)
        if not math.prod(sizes):
            return np.empty(sizes, dtype)
        return np.ascontiguousarray(draw(stream, parameters, samples, dtype)).reshape(sizes)

    return run


@kernel(
    "StatelessRandomGammaV2",
    dtypes={"dtype": _FLOATS},
    host_inputs=("shape", "seed", "alpha"),
    host_outputs=("output",),
)
def stateless_gamma(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _stateless(node, rejection.gamma)
    return lambda shape, seed, alpha: fill(stream_of_seed(seed), shape, alpha)


@kernel(
    "StatelessRandomGammaV3",
    dtypes={"dtype": _FLOATS},
    host_inputs=("shape", "key", "counter", "alg", "alpha"),
    host_outputs=("output",),
)
def stateless_gamma_of_key(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _stateless(node, rejection.gamma)
    return lambda shape, key, counter, alg, alpha: fill(
        stream_of_key(key, counter, alg), shape, alpha
    )


@kernel(
    "StatelessRandomPoisson",
    dtypes={"dtype": _COUNTS},
    host_inputs=("shape", "seed", "lam"),
    host_outputs=("output",),
)
def stateless_poisson(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fill = _stateless(node, rejection.poisson)
    return lambda shape, seed, lam: fill(stream_of_seed(seed), shape, lam)


@kernel(
    "RandomGammaGrad",
    dtypes={"T": _FLOATS[1:]},
    host_inputs=("alpha", "sample"),
    host_outputs=("output",),
)
def random_gamma_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    from scipy import special

    def run(alpha: Any, sample: Any) -> Any:
        with np.errstate(all="ignore"):
            a, x = alpha.astype(np.float64), sample.astype(np.float64)
            log_density = (a - 1) * np.log(x) - x - special.gammaln(a)
            return (-slope_by_order(special, a, x) * np.exp(-log_density)).astype(alpha.dtype)

    return run
