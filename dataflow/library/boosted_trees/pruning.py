"""Which branches of trees are kept."""

from __future__ import annotations

from typing import Final


class PruningMode:
    """Names of ways of pruning, and their numbers in graphs."""

    NO_PRUNING, PRE_PRUNING, POST_PRUNING = range(3)

    @classmethod
    def from_str(cls, mode: str) -> int:
        """The number of "none", "pre" or "post".

        Raises:
          ValueError: It is none of them.
        """
        if mode not in _BY_NAME:
            raise ValueError(f"pruning_mode mode must be one of: {', '.join(sorted(_BY_NAME))}")
        return _BY_NAME[mode]


_BY_NAME: Final = {
    "none": PruningMode.NO_PRUNING,
    "pre": PruningMode.PRE_PRUNING,
    "post": PruningMode.POST_PRUNING,
}
