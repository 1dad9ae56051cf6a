// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One end of an Aeron stream over UDP, with a media driver of its own in this JVM. Arguments: {@code role=sink} or {@code
 * role=source} with the sink's {@code port=}. The sink prints {@code PORT n}, and {@code GOT n} when it got as many messages as
 * {@code AWAIT n} on its standard input says, each checked; the source sends as many as {@code SEND n} says, and prints {@code
 * SENT n}.
 */
public final class AeronEnd {
    /** The length with which one message, and not two, fits into one of Aeron's datagrams. */
    private static final int MESSAGE_BYTES = 1_000;

    private static final int STREAM = 7;

    private AeronEnd() {}

    public static void main(String[] args) throws Exception {
        Console console = new Console();
        Arguments arguments = new Arguments(args);
        MediaDriver.Context context = new MediaDriver.Context()
                .aeronDirectoryName(arguments.get("dir", ""))
                .threadingMode(ThreadingMode.SHARED)
                .termBufferSparseFile(true)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true);
        try (MediaDriver driver = MediaDriver.launch(context);
                Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()))) {
            if (arguments.get("role", "").equals("sink")) {
                receive(console, aeron);
            } else {
                send(console, aeron, "aeron:udp?term-length=64k|endpoint=127.0.0.1:" + arguments.get("port", ""));
            }
        }
    }

    private static void receive(Console console, Aeron aeron) throws Exception {
        try (Subscription subscription = aeron.addSubscription("aeron:udp?endpoint=127.0.0.1:0", STREAM)) {
            IdleStrategy idle = new SleepingIdleStrategy(10_000);
            String endpoint = subscription.resolvedEndpoint();
            while (endpoint == null) {
                idle.idle();
                endpoint = subscription.resolvedEndpoint();
            }
            console.say("PORT " + endpoint.substring(endpoint.lastIndexOf(':') + 1));
            long[] got = {0};
            FragmentHandler check = (buffer, offset, length, header) -> {
                if (length != MESSAGE_BYTES
                        || buffer.getLong(offset) != got[0]
                        || buffer.getLong(offset + MESSAGE_BYTES - Long.BYTES) != ~got[0]) {
                    throw new IllegalStateException(
                            "message " + got[0] + " arrived as " + buffer.getLong(offset) + ", " + length + " bytes");
                }
                got[0]++;
            };
            long wanted = 0;
            while (true) {
                String line = console.next();
                wanted += Long.parseLong(line.substring("AWAIT ".length()));
                while (got[0] < wanted) {
                    idle.idle(subscription.poll(check, 64));
                }
                console.say("GOT " + got[0]);
            }
        }
    }

    private static void send(Console console, Aeron aeron, String channel) throws Exception {
        IdleStrategy idle = new SleepingIdleStrategy(10_000);
        UnsafeBuffer message = new UnsafeBuffer(new byte[MESSAGE_BYTES]);
        try (Publication publication = aeron.addExclusivePublication(channel, STREAM)) {
            long sent = 0;
            while (true) {
                String line = console.next();
                long until = sent + Long.parseLong(line.substring("SEND ".length()));
                while (sent < until) {
                    message.putLong(0, sent);
                    message.putLong(MESSAGE_BYTES - Long.BYTES, ~sent);
                    if (publication.offer(message) > 0) {
                        sent++;
                    } else {
                        idle.idle();
                    }
                }
                console.say("SENT " + sent);
            }
        }
    }
}
