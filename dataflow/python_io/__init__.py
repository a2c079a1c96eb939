"""tf.python_io: record files."""

from dataflow.records.options import TFRecordCompressionType as TFRecordCompressionType
from dataflow.records.options import TFRecordOptions as TFRecordOptions
from dataflow.records.reading import tf_record_iterator as tf_record_iterator
from dataflow.records.writing import TFRecordWriter as TFRecordWriter
