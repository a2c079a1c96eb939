"""tf.contrib.staging: values that wait on their device."""

from dataflow.library.queues.staging import StagingArea as StagingArea
