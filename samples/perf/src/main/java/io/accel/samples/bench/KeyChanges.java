// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * Changes of a program to a channel that moves nothing: its interest set, its registration, its mode. Each change is followed by
 * a selection where there is one. Arguments: {@code port} (of a {@link SelectorEchoServer}), {@code change} ({@code interest},
 * {@code registration} or {@code mode}) and those of {@link LatencyRun}.
 */
public final class KeyChanges {
    private static final int CHANGES_PER_SAMPLE = 10;

    private final Selector selector;
    private final SocketChannel channel;
    private SelectionKey key;

    private KeyChanges(Selector selector, SocketChannel channel) {
        this.selector = selector;
        this.channel = channel;
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        try (Selector selector = Selector.open();
                SocketChannel channel = SocketChannel.open(parameters.server())) {
            LatencyRun.RoundTrip change = new KeyChanges(selector, channel).change(parameters.text("change"));
            LatencyRun.RoundTrip sample = () -> {
                for (int i = 0; i < CHANGES_PER_SAMPLE; i++) {
                    change.run();
                }
            };
            new LatencyRun(sample, 0, CHANGES_PER_SAMPLE).execute(parameters);
        }
    }

    private LatencyRun.RoundTrip change(String what) throws IOException {
        channel.configureBlocking(false);
        switch (what) {
            case "interest" -> {
                key = channel.register(selector, OP_READ);
                return this::changeInterest;
            }
            case "registration" -> {
                return this::changeRegistration;
            }
            case "mode" -> {
                return this::changeMode;
            }
            default ->
                throw new IllegalArgumentException("change=" + what + " is none of interest, registration, mode");
        }
    }

    /** As a writer that had to wait. */
    private void changeInterest() throws IOException {
        key.interestOps(OP_READ | OP_WRITE);
        select(1);
        key.interestOps(OP_READ);
        select(0);
    }

    private void changeRegistration() throws IOException {
        key = channel.register(selector, OP_WRITE);
        select(1);
        key.cancel();
        select(0);
    }

    private void changeMode() throws IOException {
        channel.configureBlocking(true);
        channel.configureBlocking(false);
    }

    private void select(int expected) throws IOException {
        int ready = selector.selectNow();
        if (ready != expected) {
            throw new IOException(ready + " keys are ready where " + expected + " should be");
        }
        selector.selectedKeys().clear();
    }
}
