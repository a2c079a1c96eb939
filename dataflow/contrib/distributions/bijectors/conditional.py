"""ConditionalBijector: a bijector whose methods take more than the value."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.distributions.bijectors.base import Bijector


class ConditionalBijector(Bijector):
    """A bijector by conditions, which are given by name to what subclasses define."""

    def forward(self, x: Any, name: str = "forward", **condition_kwargs: Any) -> Any:
        """See `Bijector.forward`."""
        return self._call_forward(x, name, **condition_kwargs)

    def inverse(self, y: Any, name: str = "inverse", **condition_kwargs: Any) -> Any:
        """See `Bijector.inverse`."""
        return self._call_inverse(y, name, **condition_kwargs)

    def inverse_log_det_jacobian(
        self,
        y: Any,
        event_ndims: Any,
        name: str = "inverse_log_det_jacobian",
        **condition_kwargs: Any,
    ) -> Any:
        """See `Bijector.inverse_log_det_jacobian`."""
        return self._call_inverse_log_det_jacobian(y, event_ndims, name, **condition_kwargs)

    def forward_log_det_jacobian(
        self,
        x: Any,
        event_ndims: Any,
        name: str = "forward_log_det_jacobian",
        **condition_kwargs: Any,
    ) -> Any:
        """See `Bijector.forward_log_det_jacobian`."""
        return self._call_forward_log_det_jacobian(x, event_ndims, name, **condition_kwargs)
