"""For type checkers: the names of this library."""

from dataflow import *
