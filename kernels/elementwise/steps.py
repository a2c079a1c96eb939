"""What elementwise nodes do, told one function after the other."""

from __future__ import annotations

from typing import Final, NamedTuple

_TRUTHS: Final = frozenset(
    {
        *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
        *("logical_and", "logical_or", "logical_not"),
    }
)
"""Functions whose results are truth values."""


class Step(NamedTuple):
    """One function of what there is so far."""

    function: str
    """A name of numpy's."""
    operands: tuple[int | str, ...]
    """Places: of the inputs, and after these of the results of the steps before. Texts are numbers
    as `float.hex` writes them: equal steps do the same to the bit."""

    @property
    def is_truth(self) -> bool:
        """Whether it makes truth values."""
        return self.function in _TRUTHS
