"""tf.flags: options of a program, defined where they are used and read from its command line."""

from dataflow.library.flags import FLAGS as FLAGS
from dataflow.library.flags import DEFINE_bool as DEFINE_bool
from dataflow.library.flags import DEFINE_boolean as DEFINE_boolean
from dataflow.library.flags import DEFINE_enum as DEFINE_enum
from dataflow.library.flags import DEFINE_float as DEFINE_float
from dataflow.library.flags import DEFINE_integer as DEFINE_integer
from dataflow.library.flags import DEFINE_list as DEFINE_list
from dataflow.library.flags import DEFINE_multi_float as DEFINE_multi_float
from dataflow.library.flags import DEFINE_multi_integer as DEFINE_multi_integer
from dataflow.library.flags import DEFINE_multi_string as DEFINE_multi_string
from dataflow.library.flags import DEFINE_string as DEFINE_string
from dataflow.library.flags import DuplicateFlagError as DuplicateFlagError
from dataflow.library.flags import Error as Error
from dataflow.library.flags import FlagValues as FlagValues
from dataflow.library.flags import IllegalFlagValueError as IllegalFlagValueError
from dataflow.library.flags import UnrecognizedFlagError as UnrecognizedFlagError
from dataflow.library.flags import mark_flag_as_required as mark_flag_as_required
from dataflow.library.flags import mark_flags_as_required as mark_flags_as_required
