"""Linear algebra made of several ops: functions of matrices that have no op of their own."""
