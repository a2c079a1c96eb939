"""Values that know no graph: element types, shapes, device names, arrays as messages, options.

Only the messages themselves and `errors` lie below.
"""
