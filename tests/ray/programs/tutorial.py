"""Between-graph replication as TensorFlow's tutorials write it: one program, a process a task."""

import os
import sys

import dataflow as tf

tf.app.flags.DEFINE_string("job_name", "", "One of 'ps', 'worker'")
tf.app.flags.DEFINE_integer("task_index", 0, "Index of task within the job")
tf.app.flags.DEFINE_string("ps_hosts", "", "Comma-separated list of hostname:port pairs")
tf.app.flags.DEFINE_string("worker_hosts", "", "Comma-separated list of hostname:port pairs")
tf.app.flags.DEFINE_string("folder", "", "Of the checkpoints")
tf.app.flags.DEFINE_integer("steps", 100, "Steps of all workers together")
FLAGS = tf.app.flags.FLAGS


def main(_):
    cluster = tf.train.ClusterSpec(
        {"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}
    )
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
        return
    with tf.device(
        tf.train.replica_device_setter(
            worker_device=f"/job:worker/task:{FLAGS.task_index}", cluster=cluster
        )
    ):
        global_step = tf.train.get_or_create_global_step()
        weight = tf.get_variable("weight", initializer=5.0)
        loss = tf.square(weight - 2.0)
        train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=global_step)
    with tf.train.MonitoredTrainingSession(
        master=server.target,
        is_chief=FLAGS.task_index == 0,
        checkpoint_dir=FLAGS.folder,
        save_checkpoint_secs=1,
        hooks=[tf.train.StopAtStepHook(last_step=FLAGS.steps)],
        config=tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{FLAGS.task_index}"]),
    ) as session:
        print("training", os.getpid(), flush=True)
        while not session.should_stop():
            value, _ = session.run([weight, train])
    print(f"ended at {value:.3f}", flush=True)
    sys.stdout.flush()


if __name__ == "__main__":
    tf.app.run()
