"""Whose products numpy computes, and what they are quick with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import threadpoolctl

from dataflow.kernels.products import blas


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    """What is known is found anew, and once more afterwards."""
    blas.is_quick_with_small.cache_clear()
    yield
    blas.is_quick_with_small.cache_clear()


@pytest.mark.parametrize(
    ("found", "quick"),
    [
        ([("blas", "SkylakeX"), ("openmp", None)], True),
        ([("blas", "Haswell")], False),
        ([("blas", "SkylakeX"), ("blas", None)], False),
        ([("openmp", None)], False),
    ],
)
def test_whose_blas_is_quick(
    monkeypatch: pytest.MonkeyPatch, found: list[tuple[str, str | None]], quick: bool
) -> None:
    libraries = [
        {"user_api": api, **({} if made is None else {"architecture": made})} for api, made in found
    ]
    monkeypatch.setattr(threadpoolctl, "threadpool_info", lambda: libraries)
    assert blas.is_quick_with_small() is quick


def test_numpys_own_is_found() -> None:
    made = [one for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]
    assert made
    assert blas.is_quick_with_small() is all(one.get("architecture") in blas._QUICK for one in made)
