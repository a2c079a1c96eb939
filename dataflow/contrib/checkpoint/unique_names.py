"""UniqueNameTracker: what checkpoints hold, by names of which each is made unique."""

from __future__ import annotations

import itertools
from typing import Any

from dataflow.library.containers.container import Container
from dataflow.variables.tracked import is_trackable


class UniqueNameTracker(Container):
    """Objects by names of which each gets a number of its own where it is taken."""

    def track(self, trackable: Any, base_name: str) -> Any:
        """Adds an object and returns it.

        Args:
          trackable: The object.
          base_name: Its name in checkpoints, or what that begins with.

        Raises:
          ValueError: Checkpoints cannot hold it.
        """
        if not is_trackable(trackable):
            raise ValueError(
                f"Expected a trackable value, got {trackable} which does not inherit from "
                "tf.track.Trackable."
            )
        numbered = (f"{base_name}_{number}" for number in itertools.count(1))
        names = itertools.chain([base_name], numbered)
        return self._track(trackable, next(n for n in names if n not in self._tracked()))
