// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A talker whose connection, of one way, lasts until the talker is paused, so that one can see the connection come back to a path that it has lost. Neither this
 * program nor its server is ever killed.
 */
final class LastingTalker extends Talker {
    /** More than all the traffic of others would leave no time for these. */
    private static final int MOST_BETWEEN_MILLIS = 100;

    private final Wire.Way way;

    LastingTalker(Wire.Way way, Tally tally, long seed, List<SocketAddress> addresses) {
        super("lasting talker, " + way, tally, true, seed, addresses);
        this.way = way;
    }

    @Override
    void connection(SplittableRandom choice) {
        SocketAddress server = pick(choice, addresses());
        does(way + " to " + server + ", which lasts");
        tally().connections.incrementAndGet();
        try (Wire wire = Wire.connect(way, server)) {
            Talk talk = new Talk(wire, choice.split());
            while (!isPaused()) {
                Conversation conversation = Conversation.random(choice, true, false);
                does(way + " to " + server + ", which lasts, " + conversation);
                beginsAnew();
                talk.hold(conversation);
                tally().finished(conversation);
                LockSupport.parkNanos(choice.nextInt(MOST_BETWEEN_MILLIS) * 1_000_000L);
            }
        } catch (IOException | WrongBytesException e) {
            failed(e);
        }
    }
}
