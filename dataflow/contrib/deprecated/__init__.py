"""tf.contrib.deprecated: summaries as they were before TensorFlow 1.0."""

import dataflow.library.summaries.merging as _merging
from dataflow.library.summaries.early_names import (
    audio_summary as audio_summary,
)
from dataflow.library.summaries.early_names import (
    histogram_summary as histogram_summary,
)
from dataflow.library.summaries.early_names import (
    image_summary as image_summary,
)
from dataflow.library.summaries.early_names import (
    scalar_summary as scalar_summary,
)

merge_summary = _merging.merge
merge_all_summaries = _merging.merge_all
