"""tensorflow.python.platform.googletest: unittest's names, and the folder by its older one."""

from unittest import SkipTest as SkipTest
from unittest import TestLoader as TestLoader
from unittest import expectedFailure as expectedFailure
from unittest import skip as skip
from unittest import skipIf as skipIf
from unittest import skipUnless as skipUnless

from dataflow.testing.folder import get_temp_dir

GetTempDir = get_temp_dir


def StatefulSessionAvailable() -> bool:
    """Whether sessions of another kind are there: never."""
    return False
