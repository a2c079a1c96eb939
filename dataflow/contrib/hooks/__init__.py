"""tf.contrib.hooks: the hook that tf.train has."""

from dataflow.training.hooks.profiler import (
    ProfilerHook as ProfilerHook,
)
