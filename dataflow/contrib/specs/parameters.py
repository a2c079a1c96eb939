"""Random numbers, which texts of parameters are written with."""

from __future__ import annotations

import math
import random


def Uf(lo: float = 0.0, hi: float = 1.0) -> float:
    """A random float, each as probable."""
    return random.uniform(lo, hi)


def Ui(lo: int, hi: int) -> int:
    """A random integer up to `hi`, each as probable."""
    return random.randint(lo, hi)


def Lf(lo: float, hi: float) -> float:
    """A random float whose logarithms are each as probable."""
    return math.exp(random.uniform(math.log(lo), math.log(hi)))


def Li(lo: float, hi: float) -> int:
    """A random integer up to `hi` of the logarithms."""
    return math.floor(math.exp(random.uniform(math.log(lo), math.log(hi + 1 - 1e-5))))


def Nt(mu: float, sigma: float, limit: float = 3.0) -> float:
    """A random float of the normal distribution, cut at `limit` deviations from `mu`."""
    return min(max(random.gauss(mu, sigma), mu - limit * sigma), mu + limit * sigma)
