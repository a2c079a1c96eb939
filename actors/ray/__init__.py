"""The back end over Ray's processes: what only Ray knows. The rooms that compute know no Ray.

The same cores as in one process run inside thin actors: a device actor for each device and, for a
server, a master and a worker for each task; those of a session without a server are in its own
process. `links` reaches an actor from elsewhere, `actors` is what runs inside of one, `cluster`
starts and watches them, `session` runs steps on them; each knows those before it alone.

A step is a `RunStep` to each device that takes part, all sent together, with the fetches in the
answers; the master only prepares it. Messages go over lanes where these can be opened, else as
calls of Ray, and the log says so; `rpc_options.use_rpc_for_inprocess_master` asks for calls. Both
are asked by the same code (`session`) and served by the same code (`actors.device_steps`).
"""
