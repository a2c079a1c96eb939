"""What runs inside of actors: cores, and the handlers of messages. Knows not who starts actors.

The actor classes pass bytes to a shell (`DeviceShell`, `WorkerShell`, `MasterShell`), which has a
handler for each type of message. A device runs a straight step on the thread that has read it, one
that needs values of others on the thread that has read the last of them, or, if a call asked for
it, on the thread of the call.

Each actor keeps a `Lease`: it ends itself when Ray has given up its machine, and a device that
cannot know whether it was replaced takes on no step.
"""
