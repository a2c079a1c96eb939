"""Lanes: authenticated connections that carry steps past Ray, of which they know nothing.

A lane joins two processes: a session and a device, or two devices. What crosses it is framed
msgpack with raw bytes behind it, never a pickle: `lane` moves messages, `outgoing` and `incoming`
move frames. Counts, depths, sizes and segments are checked before memory is taken for them.

Within a machine the kernel says whose process is at the other end, and nobody else can reach what
crosses. Between machines each frame is sealed: that costs a processor's time of SHA-256 over all
bytes at either end. Or TLS encrypts, which takes the seals' place.

Tensors of 32 KB or more lie in nameless sealed memory that both ends map, and only a number
crosses; across machines they are received straight into memory that is used again. What devices of
one machine send each other, from 256 KB on, is not even copied there: the peer is shown the array
where it lies, and numpy's reference count, of which the lane holds one until the peer gives it
back, says as ever whether an update may write to it.

A lane leads to one incarnation of a device. When senders hear of another one, they cut it
(`LanePeers.meet`): who is counted as dead may live on, and would take what is sent for good.
"""
