"""What sessions ask of a back end, as types; knows neither of them.

A session talks to the `Runtime` protocol, whose verbs are those of TensorFlow's MasterService. Who
implements it for a target is decided in `session/back_end.py`.
"""
