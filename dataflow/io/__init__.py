"""tf.io: reading and writing."""

from dataflow.importing.files import write_graph as write_graph
from dataflow.io import gfile as gfile
from dataflow.library.images.files import decode_image as decode_image
from dataflow.library.images.files import is_jpeg as is_jpeg
from dataflow.library.parsing.configs import FixedLenFeature as FixedLenFeature
from dataflow.library.parsing.configs import FixedLenSequenceFeature as FixedLenSequenceFeature
from dataflow.library.parsing.configs import RaggedFeature as RaggedFeature
from dataflow.library.parsing.configs import SparseFeature as SparseFeature
from dataflow.library.parsing.configs import VarLenFeature as VarLenFeature
from dataflow.library.parsing.examples import parse_example as parse_example
from dataflow.library.parsing.examples import parse_single_example as parse_single_example
from dataflow.library.parsing.sequence_examples import (
    parse_sequence_example as parse_sequence_example,
)
from dataflow.library.parsing.sequence_examples import (
    parse_single_sequence_example as parse_single_sequence_example,
)
from dataflow.library.queues.padding_fifo_queue import PaddingFIFOQueue as PaddingFIFOQueue
from dataflow.library.queues.priority_queue import PriorityQueue as PriorityQueue
from dataflow.library.queues.queue_base import QueueBase as QueueBase
from dataflow.library.queues.random_shuffle_queue import RandomShuffleQueue as RandomShuffleQueue
from dataflow.ops.image.files import decode_and_crop_jpeg as decode_and_crop_jpeg
from dataflow.ops.image.files import decode_bmp as decode_bmp
from dataflow.ops.image.files import decode_gif as decode_gif
from dataflow.ops.image.files import decode_jpeg as decode_jpeg
from dataflow.ops.image.files import decode_png as decode_png
from dataflow.ops.image.files import decode_webp as decode_webp
from dataflow.ops.image.files import encode_jpeg as encode_jpeg
from dataflow.ops.image.files import encode_png as encode_png
from dataflow.ops.image.files import extract_jpeg_shape as extract_jpeg_shape
from dataflow.ops.parsing.csv import decode_csv as decode_csv
from dataflow.ops.parsing.protos import decode_proto as decode_proto
from dataflow.ops.parsing.protos import encode_proto as encode_proto
from dataflow.ops.parsing.raw import decode_compressed as decode_compressed
from dataflow.ops.parsing.raw import decode_raw as decode_raw
from dataflow.ops.parsing.tensors import decode_json_example as decode_json_example
from dataflow.ops.parsing.tensors import parse_tensor as parse_tensor
from dataflow.ops.parsing.tensors import serialize_tensor as serialize_tensor
from dataflow.ops.readers.files import matching_files as matching_files
from dataflow.ops.readers.files import read_file as read_file
from dataflow.ops.readers.files import write_file as write_file
from dataflow.ops.sparse.serialized import deserialize_many_sparse as deserialize_many_sparse
from dataflow.ops.sparse.serialized import serialize_many_sparse as serialize_many_sparse
from dataflow.ops.sparse.serialized import serialize_sparse as serialize_sparse
from dataflow.ops.text.characters import decode_base64 as decode_base64
from dataflow.ops.text.characters import encode_base64 as encode_base64
from dataflow.records.options import TFRecordCompressionType as TFRecordCompressionType
from dataflow.records.options import TFRecordOptions as TFRecordOptions
from dataflow.records.reading import tf_record_iterator as tf_record_iterator
from dataflow.records.writing import TFRecordWriter as TFRecordWriter
from dataflow.training.inputs.producers import match_filenames_once as match_filenames_once
