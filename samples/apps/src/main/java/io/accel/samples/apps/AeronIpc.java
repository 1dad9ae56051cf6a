// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Control;
import io.accel.samples.bench.Event;
import io.accel.samples.bench.LatencyRun;
import io.accel.samples.bench.Parameters;
import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * Messages to and fro through Aeron's IPC: two publications in memory that both JVMs map. The media driver, which only makes
 * them, is in the server's JVM. Both ends look for messages all the time, and yield the processor between looks, so that it also
 * ends if both share one processor. The client's thread sends and receives.
 */
final class AeronIpc {
    private static final String CHANNEL = "aeron:ipc?term-length=64k";
    private static final int REQUESTS = 1;
    private static final int ANSWERS = 2;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Publication out;
    private final Subscription in;
    private final UnsafeBuffer message;
    private final FragmentHandler received = this::receive;
    private final IdleStrategy idle = new YieldingIdleStrategy();
    private long sequence;
    private long answered;

    private AeronIpc(Publication out, Subscription in, int size) {
        this.out = out;
        this.in = in;
        message = new UnsafeBuffer(new byte[size]);
    }

    private static String directory(Parameters parameters) {
        return Path.of(parameters.text("dir"), "aeron").toString();
    }

    static void serve(Parameters parameters) throws IOException {
        Control.serveInBackground();
        MediaDriver.Context context = new MediaDriver.Context()
                .aeronDirectoryName(directory(parameters))
                .threadingMode(ThreadingMode.SHARED)
                .termBufferSparseFile(true)
                .dirDeleteOnStart(true);
        try (MediaDriver driver = MediaDriver.launchEmbedded(context);
                Aeron aeron = connect(driver.aeronDirectoryName());
                Publication answers = aeron.addPublication(CHANNEL, ANSWERS);
                Subscription requests = aeron.addSubscription(CHANNEL, REQUESTS)) {
            IdleStrategy idle = new YieldingIdleStrategy();
            FragmentHandler echo = (buffer, offset, length, header) -> {
                while (answers.offer(buffer, offset, length) < 0) {
                    idle.idle();
                }
            };
            Event.named("ready").with("port", 0).send();
            while (!Thread.currentThread().isInterrupted()) {
                idle.idle(requests.poll(echo, 1));
            }
        }
    }

    static void pingPong(Parameters parameters) throws IOException {
        int size = parameters.number("size");
        try (Aeron aeron = connect(directory(parameters));
                Publication requests = aeron.addPublication(CHANNEL, REQUESTS);
                Subscription answers = aeron.addSubscription(CHANNEL, ANSWERS)) {
            new LatencyRun(new AeronIpc(requests, answers, size)::roundTrip, 2 * size, 1).execute(parameters);
        }
    }

    private static Aeron connect(String directory) {
        return Aeron.connect(new Aeron.Context().aeronDirectoryName(directory));
    }

    private void receive(DirectBuffer buffer, int offset, int length, Header header) {
        answered = length == message.capacity() ? buffer.getLong(offset) : -1;
    }

    private void roundTrip() throws IOException {
        long begin = System.nanoTime();
        message.putLong(0, ++sequence);
        while (out.offer(message) < 0) {
            await(begin);
        }
        while (in.poll(received, 1) == 0) {
            await(begin);
        }
        if (answered != sequence) {
            throw new IOException("sent message " + sequence + " but got back " + answered);
        }
    }

    private void await(long begin) throws IOException {
        if (System.nanoTime() - begin > PATIENCE_NANOS) {
            throw new IOException("no answer from the other end");
        }
        idle.idle();
    }
}
