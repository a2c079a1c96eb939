"""tensorflow.python.distribute.distribution_strategy_context: what is asked where none is used."""

from __future__ import annotations


def has_strategy() -> bool:
    """False: there are no distribution strategies here."""
    return False


def in_cross_replica_context() -> bool:
    """False, as in TensorFlow outside of any strategy."""
    return False
