"""tf.gfile: files and folders."""

import dataflow.library.files.gfile as _gfile
from dataflow.library.files.gfile import FastGFile as FastGFile
from dataflow.library.files.gfile import GFile as GFile

Copy = _gfile.copy
DeleteRecursively = _gfile.delete_recursively
Exists = _gfile.exists
Glob = _gfile.glob
IsDirectory = _gfile.is_directory
ListDirectory = _gfile.list_directory
MakeDirs = _gfile.make_dirs
MkDir = _gfile.mkdir
Open = _gfile.GFile
Remove = _gfile.remove
Rename = _gfile.rename
Stat = _gfile.stat
Walk = _gfile.walk
