"""tf.data: datasets, which describe streams of elements, and iterators over them."""

import dataflow.library.datasets.nodes as _nodes
from dataflow.data import experimental as experimental
from dataflow.library.datasets.dataset import Dataset as Dataset
from dataflow.library.datasets.dataset import get_output_classes as get_output_classes
from dataflow.library.datasets.dataset import get_output_shapes as get_output_shapes
from dataflow.library.datasets.dataset import get_output_types as get_output_types
from dataflow.library.datasets.dataset import (
    make_initializable_iterator as make_initializable_iterator,
)
from dataflow.library.datasets.dataset import make_one_shot_iterator as make_one_shot_iterator
from dataflow.library.datasets.iterators import Iterator as Iterator
from dataflow.library.datasets.nodes import AUTOTUNE as AUTOTUNE
from dataflow.library.datasets.readers import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
)
from dataflow.library.datasets.readers import TextLineDataset as TextLineDataset
from dataflow.library.datasets.readers import TFRecordDataset as TFRecordDataset
from dataflow.library.datasets.settings.options import Options as Options
from dataflow.library.datasets.settings.options import ThreadingOptions as ThreadingOptions
from dataflow.library.datasets.specs import DatasetSpec as DatasetSpec

INFINITE_CARDINALITY = _nodes.INFINITE
UNKNOWN_CARDINALITY = _nodes.UNKNOWN
