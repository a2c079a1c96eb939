"""tf.contrib.input_pipeline: sequences of files that several readers share."""

from dataflow.contrib.input_pipeline.rounds import obtain_next as obtain_next
from dataflow.contrib.input_pipeline.rounds import seek_next as seek_next
