"""Resolvers that would ask a cloud: they fail when they are made; programs only name them."""

from __future__ import annotations

from typing import Any


class _Refused:
    """What cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Refuses.

        Raises:
          NotImplementedError: Always.
        """
        raise NotImplementedError(
            f"{type(self).__name__} is not here: give tf.train.Server the addresses of the tasks, "
            "or SimpleClusterResolver a ClusterSpec."
        )


class TPUClusterResolver(_Refused):
    """Would find TPUs of Google Cloud."""


class GCEClusterResolver(_Refused):
    """Would find machines of Google Compute Engine."""


class KubernetesClusterResolver(_Refused):
    """Would find pods of Kubernetes."""
