"""Ways to actors, from any process: calls, lanes, the watch over them. Knows not what actors do.

`RemoteActor` asks by messages, and makes an error of this library of whatever Ray says. A verb is a
message and a handler of its type in the actor; `calls` says in which group of the actor's threads
it is served. A `DeviceLane` carries the messages of steps to a device and their answers back: over
a connection whose secret comes by a call, or by calls alone (`CallLane`): then large values go
through the object store. A call to each actor that never returns makes its death an event.
"""
