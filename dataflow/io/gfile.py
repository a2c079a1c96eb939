"""tf.io.gfile: files and folders, under TensorFlow's newer names."""

from dataflow.library.files.gfile import GFile as GFile
from dataflow.library.files.newer_names import copy as copy
from dataflow.library.files.newer_names import exists as exists
from dataflow.library.files.newer_names import get_registered_schemes as get_registered_schemes
from dataflow.library.files.newer_names import glob as glob
from dataflow.library.files.newer_names import isdir as isdir
from dataflow.library.files.newer_names import join as join
from dataflow.library.files.newer_names import listdir as listdir
from dataflow.library.files.newer_names import makedirs as makedirs
from dataflow.library.files.newer_names import mkdir as mkdir
from dataflow.library.files.newer_names import remove as remove
from dataflow.library.files.newer_names import rename as rename
from dataflow.library.files.newer_names import rmtree as rmtree
from dataflow.library.files.newer_names import stat as stat
from dataflow.library.files.newer_names import walk as walk
