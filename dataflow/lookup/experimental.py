"""tf.lookup.experimental: lookup tables that steps change."""

from dataflow.library.lookup.mutable import DenseHashTable as DenseHashTable
from dataflow.library.lookup.mutable import MutableHashTable as MutableHashTable
