"""The paths of tf.contrib.slim: where their names are below this library's `contrib`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SLIM_PATHS: Final[Mapping[str, tuple[str, ...]]] = {
    "slim": (),
    "slim.python.slim": ("slim",),
    "slim.python.slim.evaluation": ("slim.evaluation",),
    "slim.python.slim.learning": ("slim.learning",),
    "slim.python.slim.model_analyzer": ("slim.model_analyzer",),
    "slim.python.slim.nets": ("slim.nets",),
    "slim.python.slim.nets.alexnet": ("slim.nets.alexnet",),
    "slim.python.slim.nets.inception": ("slim.nets.inception",),
    "slim.python.slim.nets.inception_v1": ("slim.nets.inception_v1",),
    "slim.python.slim.nets.inception_v2": ("slim.nets.inception_v2",),
    "slim.python.slim.nets.inception_v3": ("slim.nets.inception_v3",),
    "slim.python.slim.nets.overfeat": ("slim.nets.overfeat",),
    "slim.python.slim.nets.resnet_utils": ("slim.nets.resnet_utils",),
    "slim.python.slim.nets.resnet_v1": ("slim.nets.resnet_v1",),
    "slim.python.slim.nets.resnet_v2": ("slim.nets.resnet_v2",),
    "slim.python.slim.nets.vgg": ("slim.nets.vgg",),
    "slim.python.slim.queues": ("slim.queues",),
    "slim.python.slim.summaries": ("slim.summaries",),
    "slim.python": (),
    "slim.python.slim.data": ("slim",),
    "slim.python.slim.data.data_decoder": ("slim.data_decoder",),
    "slim.python.slim.data.data_provider": ("slim.data_provider",),
    "slim.python.slim.data.dataset": ("slim.dataset",),
    "slim.python.slim.data.dataset_data_provider": ("slim.dataset_data_provider",),
    "slim.python.slim.data.parallel_reader": ("slim.parallel_reader",),
    "slim.python.slim.data.prefetch_queue": ("slim.prefetch_queue",),
    "slim.python.slim.data.test_utils": ("slim.record_files",),
    "slim.python.slim.data.tfexample_decoder": ("slim.tfexample_decoder",),
}
"""Path below `tensorflow.contrib` -> the modules below ours that have its names."""
