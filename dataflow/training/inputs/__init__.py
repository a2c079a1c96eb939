"""Input pipelines of queues that queue runners fill: producers of names, and batches."""
