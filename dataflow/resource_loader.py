"""tf.resource_loader: files that lie beside the modules of a program."""

from dataflow.library.program.files import get_data_files_path as get_data_files_path
from dataflow.library.program.files import get_path_to_datafile as get_path_to_datafile
from dataflow.library.program.files import (
    get_root_dir_with_all_resources as get_root_dir_with_all_resources,
)
from dataflow.library.program.files import load_resource as load_resource
from dataflow.library.program.files import readahead_file_path as readahead_file_path
