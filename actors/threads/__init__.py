"""Threads and what they have still to run; knows work only as something that can be called.

`inter_op_parallelism_threads` bounds the segments that run at a time,
`intra_op_parallelism_threads` the threads of one kernel (1 switches splitting off); there are no
more threads than the greater of both, for the calling thread does both kinds of work. What
becomes ready on a thread is put into its queue, not called, so that no plan recurses; what is
costly goes to another thread, and what another step's thread woke goes home to the thread that
waits for the step.

A kernel that runs on after its step was stopped keeps its thread; a new one takes that one's place,
for 64 of them at most. A device on Ray bounds the threads that work for steps (`places`): work that
comes when all are taken waits in order.

While a session of this process is open, BLAS runs on one thread in the whole process, also for
the user's own numpy, since its threads would fight ours for the cores; the last close gives it
back its own. What steps free stays with the process (glibc's `mallopt`, up to 2 GiB or an eighth
of the memory), since clearing pages anew takes longer than most operations on them; the
`MALLOC_*` variables and `GLIBC_TUNABLES` overrule that.
"""
