"""Values that know no graph: element types, shapes, device names, arrays as messages, options.

Below everything but the messages themselves; `errors`, `logging` and `nest` at the top of the
package are its only peers.
"""
