"""A linear fit as programs were written before TensorFlow 1.0, with summaries and flags."""

import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, control_flow_ops, math_ops
from tensorflow.python.training import moving_averages

flags = tf.app.flags
flags.DEFINE_integer("steps", 60, "How many.")
flags.DEFINE_string("logs", "", "Where summaries go.")
FLAGS = flags.FLAGS


def main(_):
    assert tf.__version__.startswith("1.")
    x = tf.placeholder(tf.float32, [None, 1])
    y = tf.placeholder(tf.float32, [None, 1])
    w = tf.Variable(tf.zeros([1, 1]), name="w")
    with ops.name_scope("loss"):
        error = tf.sub(tf.batch_matmul(x, w), y)
        loss = math_ops.reduce_mean(tf.mul(error, error))
    both = tf.concat(1, [x, tf.neg(y)])
    first, second = tf.split(1, 2, both)
    restacked = tf.pack([first, second], 1)
    summary = tf.scalar_summary("loss", loss)
    mean = tf.Variable(0.0, trainable=False, name="mean")
    train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
    average = moving_averages.assign_moving_average(mean, loss, 0.9, zero_debias=False)
    step = control_flow_ops.group(train, average)
    logits, labels = tf.constant([[1.0, 2.0]]), tf.constant([[0.0, 1.0]])
    losses = [
        tf.nn.softmax_cross_entropy_with_logits(logits, labels),
        tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits),
        tf.nn.sparse_softmax_cross_entropy_with_logits(logits, [1]),
        tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(logits[:, 1:], targets=[[1.0]])),
        tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=[[1.0]], logits=[[2.0]])),
    ]
    sampled = [
        tf.nn.sampled_softmax_loss(
            tf.ones([4, 2]), tf.zeros([4]), tf.ones([3, 2]), [[0], [1], [2]], 2, 4
        ),
        tf.nn.nce_loss(tf.ones([4, 2]), tf.zeros([4]), [[0], [1], [2]], tf.ones([3, 2]), 2, 4),
    ]
    assert all(each.shape.as_list() == [3] for each in sampled)
    assert tf.image.resize_images(tf.zeros([1, 4, 4, 3]), 8, 6).shape.as_list() == [1, 8, 6, 3]
    assert tf.image.resize_images(tf.zeros([4, 4, 3]), [8, 6]).shape.as_list() == [8, 6, 3]
    assert tf.batch_svd(tf.zeros([2, 3, 3]), compute_uv=False).shape.as_list() == [2, 3]
    data = np.linspace(-1, 1, 20, dtype=np.float32)[:, None]
    with tf.Session(sys.argv[-1] if sys.argv[-1] == "ray" else "") as session:
        session.run(tf.initialize_all_variables())
        found = [float(each) for each in session.run(losses)]
        assert found[0] == found[1] == found[2] and found[3] == found[4], found
        writer = tf.train.SummaryWriter(FLAGS.logs, session.graph)
        for i in range(FLAGS.steps):
            text, _ = session.run([summary, step], {x: data, y: 3 * data})
            writer.add_summary(text, i)
        writer.close()
        shape = session.run(array_ops.shape(restacked), {x: data, y: data})
        print("fitted", round(float(session.run(w)[0, 0]), 3), shape.tolist(), __name__)


if __name__ == "__main__":
    tf.app.run()
