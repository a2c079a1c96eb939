"""tf.contrib.hooks: the hook that traces steps."""

from dataflow.training.hooks.profiler import ProfilerHook as ProfilerHook
