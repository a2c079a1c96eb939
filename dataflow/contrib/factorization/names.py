"""What k-means clustering calls distances, and the ways to begin."""

from __future__ import annotations

from typing import Any, Final

SQUARED_EUCLIDEAN_DISTANCE: Final = "squared_euclidean"
COSINE_DISTANCE: Final = "cosine"

RANDOM_INIT: Final = "random"
KMEANS_PLUS_PLUS_INIT: Final = "kmeans_plus_plus"
KMC2_INIT: Final = "kmc2"

CLUSTERS_VAR_NAME: Final = "clusters"


def check_names(initial_clusters: Any, distance_metric: Any, ways: tuple[str, ...]) -> None:
    """Refuses names that stand for nothing.

    Raises:
      ValueError: There is no such way to begin, or no such distance.
    """
    if isinstance(initial_clusters, str) and initial_clusters not in ways:
        raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
    if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
        raise ValueError(f"Unsupported distance metric '{distance_metric}'")
