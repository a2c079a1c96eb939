"""tf.contrib.testing: what unit tests ask of summaries."""

from dataflow.contrib.testing.fake_summary_writer import FakeSummaryWriter as FakeSummaryWriter
from dataflow.contrib.testing.summaries import assert_summary as assert_summary
from dataflow.contrib.testing.summaries import latest_event_file as latest_event_file
from dataflow.contrib.testing.summaries import latest_events as latest_events
from dataflow.contrib.testing.summaries import latest_summaries as latest_summaries
from dataflow.contrib.testing.summaries import (
    simple_values_from_events as simple_values_from_events,
)
from dataflow.contrib.testing.summaries import to_summary_proto as to_summary_proto
