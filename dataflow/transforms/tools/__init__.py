"""TensorFlow's tools that are run as programs: `-m tensorflow.python.tools.freeze_graph`.

Each file is one tool by its name, whose `run_main` reads the command line. What they do is in
the files above.
"""
