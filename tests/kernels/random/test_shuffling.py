"""Orders of shuffled rows, against the exchanges one by one."""

from __future__ import annotations

import numpy as np
import pytest

from dataflow.kernels.random import shuffling


@pytest.mark.parametrize("compiles", [True, False])
@pytest.mark.parametrize("count", [0, 1, 2, 100, shuffling._LONG, shuffling._LONG + 1])
def test_orders(count: int, compiles: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not compiles:
        monkeypatch.setattr(shuffling, "is_there", lambda: False)
    words = np.random.default_rng(4).integers(0, 2**32, count, dtype=np.uint32)
    order = list(range(count + 1))
    for place, word in enumerate(words.tolist()):
        other = place + word % (count + 1 - place)
        order[place], order[other] = order[other], order[place]
    found = shuffling.shuffled(words)
    assert found.tolist() == order
    assert found.dtype == np.int64
