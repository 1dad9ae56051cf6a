// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Shutting down, closing, and writing to an end that has done so. */
final class Endings {
    private static final int MANY = 3_000;

    private Endings() {}

    /** How an end comes about. */
    enum Ending {
        SHUT_OUTPUT,
        SHUT_INPUT,
        CLOSE,
        RESET,
        ADAPTOR_SHUT_OUTPUT,
        ADAPTOR_SHUT_INPUT,
        ADAPTOR_CLOSE
    }

    /** Ends one end of a connection, or a half of it. */
    record Finish(int end, Ending ending) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null) {
                return "no channel";
            }
            Selections.letGo(world, here.channel());
            finish(here, ending);
            World.rest();
            return "done";
        }
    }

    static void finish(End here, Ending ending) throws IOException {
        SocketChannel channel = here.channel();
        boolean wasRegistered = channel.isRegistered();
        switch (ending) {
            case SHUT_OUTPUT -> channel.shutdownOutput();
            case SHUT_INPUT -> channel.shutdownInput();
            case CLOSE -> channel.close();
            case RESET -> {
                // The JDK's provider resets a registered channel at the next selection, Accel's perhaps before.
                if (!wasRegistered) {
                    channel.setOption(StandardSocketOptions.SO_LINGER, 0);
                }
                channel.close();
            }
            case ADAPTOR_SHUT_OUTPUT -> channel.socket().shutdownOutput();
            case ADAPTOR_SHUT_INPUT -> channel.socket().shutdownInput();
            case ADAPTOR_CLOSE -> channel.socket().close();
        }
        if (ending == Ending.SHUT_OUTPUT || ending == Ending.ADAPTOR_SHUT_OUTPUT) {
            here.out().shut();
        }
        if (ending == Ending.SHUT_INPUT || ending == Ending.ADAPTOR_SHUT_INPUT) {
            here.shutInput();
        }
        if (wasRegistered && !channel.isOpen()) {
            here.in().closedRegistered();
        }
    }

    /** Closes a listener. */
    record CloseListener(int connection) implements Step {
        @Override
        public String run(World world) throws Exception {
            world.connection(connection).listener().close();
            World.rest();
            return "done";
        }
    }

    /**
     * Writes single bytes until that fails, some time after the peer has closed. Does nothing if the peer has not closed, or was
     * registered, since nobody knows when its kernel hears of the close. How many bytes are taken before is the kernel's choice.
     */
    record WriteUntilItFails(int end) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null
                    || !here.peer().isClosed()
                    || here.out().isKnownOnce()
                    || here.isWriteUnknown()) {
                return "no channel";
            }
            try {
                for (int i = 0; i < MANY; i++) {
                    int unused = here.channel().write(ByteBuffer.allocate(1));
                    if (i > 2) {
                        World.rest();
                    }
                }
            } catch (IOException | RuntimeException e) {
                here.out().lose();
                return world.thrown(e);
            }
            here.out().lose();
            return "never failed";
        }
    }
}
