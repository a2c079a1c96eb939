"""Serves SavedModels as TensorFlow Serving does: its REST paths, its gRPC services, its configs.

`work` turns a request into feeds and fetches, and what is fetched into a response; `loaded` is one
version of a model with its session, `manager` loads and retires versions, `batching` puts requests
together, `service` answers messages and `rest` JSON; `models` is all of that for one process. Only
`http`, `rpc` and `replicas` know the libraries that they listen and are spread with, and these load
when a server starts.
"""
