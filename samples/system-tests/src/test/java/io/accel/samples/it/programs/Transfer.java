// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One end of a transfer of {@link Pattern}: {@code at=listen|connect do=source|sink|fill io=blocking|select port=
 * host= path= bytes= mask= end=close|shutdown|exit|wait}; a {@code path} is that of a Unix-domain socket.
 *
 * <p>Says {@code PORT n} (listening), {@code CONNECTED}, and waits for {@code GO}. A source then writes {@code bytes},
 * or without a number until it gets {@code END}; says {@code WROTE n} as it goes on and after the last; and ends as
 * {@code end} says. {@code fill} does the same with the bytes that are taken at once. A sink reads and checks, with every byte
 * changed by {@code mask}, says {@code READ n} as it goes on, and at the end {@code EOF n}. An {@code IOException} is printed
 * as {@code FAILED n class message}, n being the bytes moved before it, and is not an error of this program.
 */
public final class Transfer {
    private static final int CHUNK = 64 << 10;
    private static final long SAY_EVERY = 4 << 20;

    private final Arguments arguments;
    private final Console console = new Console();
    private final String end;
    private long moved;
    private long said;

    private Transfer(Arguments arguments) {
        this.arguments = arguments;
        this.end = arguments.get("end", "close");
    }

    public static void main(String[] args) throws InterruptedException {
        new Transfer(new Arguments(args)).run();
    }

    private void run() throws InterruptedException {
        boolean selecting = arguments.get("io", "blocking").equals("select");
        boolean listens = arguments.get("at", "connect").equals("listen");
        try (Wire wire = listens ? Wire.listen(arguments, console, selecting) : Wire.connect(arguments, selecting)) {
            console.say("CONNECTED");
            console.await("GO");
            switch (arguments.get("do", "sink")) {
                case "source" -> source(wire);
                case "fill" -> fill(wire);
                case "sink" -> sink(wire);
                default -> throw new IllegalArgumentException("do=" + arguments.get("do", ""));
            }
        } catch (IOException e) {
            console.say("FAILED " + moved + " " + e.getClass().getName() + " " + e.getMessage());
        }
    }

    private void source(Wire wire) throws IOException, InterruptedException {
        long bytes = arguments.get("bytes", Long.MAX_VALUE);
        while (moved < bytes && !console.has("END")) {
            int length = (int) Math.min(CHUNK, bytes - moved);
            wire.write(Pattern.at(moved, length));
            moved(length, "WROTE");
        }
        finish(wire);
    }

    private void finish(Wire wire) throws IOException, InterruptedException {
        console.say("WROTE " + moved);
        switch (end) {
            case "close" -> {}
            case "wait" -> console.await("END");
            case "exit" -> System.exit(0);
            case "shutdown" -> {
                wire.shutdownOutput();
                console.say("PEER " + wire.read(ByteBuffer.allocate(1)));
            }
            default -> throw new IllegalArgumentException("end=" + end);
        }
    }

    private void fill(Wire wire) throws IOException, InterruptedException {
        int taken;
        do {
            taken = wire.offer(Pattern.at(moved, CHUNK));
            moved += taken;
        } while (taken > 0);
        finish(wire);
    }

    private void sink(Wire wire) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(CHUNK);
        for (int n = wire.read(buffer); n >= 0; n = wire.read(buffer)) {
            unmask(buffer.flip());
            Pattern.check(moved, buffer);
            moved(n, "READ");
            buffer.clear();
        }
        console.say("EOF " + moved);
    }

    private void unmask(ByteBuffer buffer) {
        byte mask = (byte) arguments.get("mask", 0);
        for (int i = 0; mask != 0 && i < buffer.limit(); i++) {
            buffer.put(i, (byte) (buffer.get(i) ^ mask));
        }
    }

    private void moved(int bytes, String what) {
        moved += bytes;
        if (moved - said >= SAY_EVERY) {
            said = moved;
            console.say(what + " " + moved);
        }
    }
}
