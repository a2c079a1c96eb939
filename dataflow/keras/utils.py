"""tf.keras.utils: arrays, files, batches by number, and names of a program's own objects."""

from dataflow.keras.conveniences import CustomObjectScope as CustomObjectScope
from dataflow.keras.conveniences import GeneratorEnqueuer as GeneratorEnqueuer
from dataflow.keras.conveniences import HDF5Matrix as HDF5Matrix
from dataflow.keras.conveniences import OrderedEnqueuer as OrderedEnqueuer
from dataflow.keras.conveniences import Progbar as Progbar
from dataflow.keras.conveniences import Sequence as Sequence
from dataflow.keras.conveniences import SequenceEnqueuer as SequenceEnqueuer
from dataflow.keras.conveniences import convert_all_kernels_in_model as convert_all_kernels_in_model
from dataflow.keras.conveniences import custom_object_scope as custom_object_scope
from dataflow.keras.conveniences import deserialize_keras_object as deserialize_keras_object
from dataflow.keras.conveniences import get_custom_objects as get_custom_objects
from dataflow.keras.conveniences import get_file as get_file
from dataflow.keras.conveniences import get_source_inputs as get_source_inputs
from dataflow.keras.conveniences import has_arg as has_arg
from dataflow.keras.conveniences import model_to_dot as model_to_dot
from dataflow.keras.conveniences import multi_gpu_model as multi_gpu_model
from dataflow.keras.conveniences import normalize as normalize
from dataflow.keras.conveniences import plot_model as plot_model
from dataflow.keras.conveniences import print_summary as print_summary
from dataflow.keras.conveniences import serialize_keras_object as serialize_keras_object
from dataflow.keras.conveniences import to_categorical as to_categorical
from dataflow.keras.conveniences import to_list as to_list
