"""Input pipelines of queues."""
