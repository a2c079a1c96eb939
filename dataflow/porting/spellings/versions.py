"""tensorflow.python.tf2: whether TensorFlow 2's behavior is on."""


def enabled() -> bool:
    """False: what runs here is TensorFlow 1's."""
    return False
