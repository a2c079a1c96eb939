"""tf.contrib.learn.io: input of files, arrays, tables and generators."""

from dataflow.contrib.learn.learn_io.dask_io import HAS_DASK as HAS_DASK
from dataflow.contrib.learn.learn_io.dask_io import extract_dask_data as extract_dask_data
from dataflow.contrib.learn.learn_io.dask_io import extract_dask_labels as extract_dask_labels
from dataflow.contrib.learn.learn_io.generator_io import generator_input_fn as generator_input_fn
from dataflow.contrib.learn.learn_io.graph_io import (
    queue_parsed_features as queue_parsed_features,
)
from dataflow.contrib.learn.learn_io.graph_io import read_batch_examples as read_batch_examples
from dataflow.contrib.learn.learn_io.graph_io import read_batch_features as read_batch_features
from dataflow.contrib.learn.learn_io.graph_io import (
    read_batch_record_features as read_batch_record_features,
)
from dataflow.contrib.learn.learn_io.graph_io import (
    read_keyed_batch_examples as read_keyed_batch_examples,
)
from dataflow.contrib.learn.learn_io.graph_io import (
    read_keyed_batch_examples_shared_queue as read_keyed_batch_examples_shared_queue,
)
from dataflow.contrib.learn.learn_io.graph_io import (
    read_keyed_batch_features as read_keyed_batch_features,
)
from dataflow.contrib.learn.learn_io.graph_io import (
    read_keyed_batch_features_shared_queue as read_keyed_batch_features_shared_queue,
)
from dataflow.contrib.learn.learn_io.pandas_io import HAS_PANDAS as HAS_PANDAS
from dataflow.contrib.learn.learn_io.pandas_io import extract_pandas_data as extract_pandas_data
from dataflow.contrib.learn.learn_io.pandas_io import (
    extract_pandas_labels as extract_pandas_labels,
)
from dataflow.contrib.learn.learn_io.pandas_io import (
    extract_pandas_matrix as extract_pandas_matrix,
)
from dataflow.contrib.learn.learn_io.shuffled import numpy_input_fn as numpy_input_fn
from dataflow.contrib.learn.learn_io.shuffled import pandas_input_fn as pandas_input_fn
