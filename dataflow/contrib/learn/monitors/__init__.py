"""tf.contrib.learn.monitors: what looks at a training, before there were hooks."""

from dataflow.contrib.learn.monitor_hooks import (
    RunHookAdapterForMonitors as RunHookAdapterForMonitors,
)
from dataflow.contrib.learn.monitor_hooks import (
    replace_monitors_with_hooks as replace_monitors_with_hooks,
)
from dataflow.contrib.learn.monitors.base import BaseMonitor as BaseMonitor
from dataflow.contrib.learn.monitors.base import EveryN as EveryN
from dataflow.contrib.learn.monitors.base import StopAtStep as StopAtStep
from dataflow.contrib.learn.monitors.exports import ExportMonitor as ExportMonitor
from dataflow.contrib.learn.monitors.validation import ValidationMonitor as ValidationMonitor
from dataflow.contrib.learn.monitors.values import CaptureVariable as CaptureVariable
from dataflow.contrib.learn.monitors.values import GraphDump as GraphDump
from dataflow.contrib.learn.monitors.values import LoggingTrainable as LoggingTrainable
from dataflow.contrib.learn.monitors.values import NanLoss as NanLoss
from dataflow.contrib.learn.monitors.values import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
)
from dataflow.contrib.learn.monitors.values import PrintTensor as PrintTensor
from dataflow.contrib.learn.monitors.writers import CheckpointSaver as CheckpointSaver
from dataflow.contrib.learn.monitors.writers import StepCounter as StepCounter
from dataflow.contrib.learn.monitors.writers import SummarySaver as SummarySaver
from dataflow.contrib.learn.monitors.writers import get_default_monitors as get_default_monitors
from dataflow.recording.writer_cache import FileWriterCache

SummaryWriterCache = FileWriterCache
