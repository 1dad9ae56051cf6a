// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;

/** Channels as {@code java.net.Socket}s. */
final class Adaptors {
    private static final int TIMEOUT_MILLIS = 15;

    private Adaptors() {}

    static String state(World world, Socket socket) {
        return (socket.isBound() ? "bound " : "") + (socket.isConnected() ? "connected " : "")
                + (socket.isClosed() ? "closed " : "") + (socket.isInputShutdown() ? "ishut " : "")
                + (socket.isOutputShutdown() ? "oshut " : "") + socket + " " + socket.getInetAddress() + " port="
                + socket.getPort() + " " + socket.getLocalAddress() + " port=" + socket.getLocalPort() + " "
                + socket.getLocalSocketAddress() + " " + socket.getRemoteSocketAddress() + " "
                + asked(world, socket::getSoTimeout) + " " + asked(world, socket::getTcpNoDelay) + " "
                + asked(world, socket::getSoLinger) + " " + asked(world, socket::getKeepAlive) + " "
                + asked(world, socket::getReuseAddress) + " " + asked(world, socket::getTrafficClass) + " "
                + asked(world, socket::getOOBInline);
    }

    static String state(World world, ServerSocket socket) {
        return (socket.isBound() ? "bound " : "") + (socket.isClosed() ? "closed " : "") + socket + " "
                + socket.getInetAddress() + " port=" + socket.getLocalPort() + " " + socket.getLocalSocketAddress()
                + " "
                + asked(world, socket::getSoTimeout) + " " + asked(world, socket::getReuseAddress);
    }

    /** Without its {@code toString}, which is the one of {@link Object}. */
    static String state(World world, DatagramSocket socket) {
        return (socket.isBound() ? "bound " : "") + (socket.isConnected() ? "connected " : "")
                + (socket.isClosed() ? "closed " : "") + socket.getInetAddress() + " port=" + socket.getPort() + " "
                + socket.getLocalAddress() + " port=" + socket.getLocalPort() + " " + socket.getLocalSocketAddress()
                + " " + socket.getRemoteSocketAddress() + " " + asked(world, socket::getSoTimeout) + " "
                + asked(world, socket::getReuseAddress) + " " + asked(world, socket::getBroadcast) + " "
                + asked(world, socket::getTrafficClass);
    }

    private static String asked(World world, Callable<?> question) {
        try {
            return String.valueOf(question.call());
        } catch (Exception e) {
            return world.thrown(e);
        }
    }

    /** Reads the bytes on their way; if there are none, waits as long as the timeout says. */
    record StreamRead(int end, int size, boolean single) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.in().isUnknown()) {
                return "no channel";
            }
            Socket socket = here.channel().socket();
            InputStream in = socket.getInputStream();
            byte[] bytes = new byte[size];
            int[] at = new int[1];
            // Without a limit if there are bytes, as in most programs.
            if (here.wouldWait()) {
                socket.setSoTimeout(TIMEOUT_MILLIS);
            }
            String end = Transfers.readExpected(world, here, size, () -> {
                int n = single ? one(in, bytes, at[0]) : in.read(bytes, at[0], size - at[0]);
                at[0] += Math.max(0, n);
                return n;
            });
            if (socket.isClosed()) {
                return Transfers.received(here, ByteBuffer.wrap(bytes).position(at[0])) + end + ", closed";
            }
            socket.setSoTimeout(0);
            return Transfers.received(here, ByteBuffer.wrap(bytes).position(at[0])) + end;
        }

        private static int one(InputStream in, byte[] bytes, int at) throws IOException {
            if (at == bytes.length) {
                return 0;
            }
            int read = in.read();
            if (read < 0) {
                return -1;
            }
            bytes[at] = (byte) read;
            return 1;
        }
    }

    /** Writes so many bytes, as far as there is room. */
    record StreamWrite(int end, int size) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.isWriteUnknown()) {
                return "no channel";
            }
            int length = here.out().room(size);
            boolean odd = !here.canSend();
            here.channel().socket().getOutputStream().write(here.out().next(length));
            here.out().sent(length);
            if (odd) {
                World.rest();
            }
            return length + " bytes";
        }
    }

    /** How many bytes can be read. */
    record Available(int end) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.in().isUnknown()) {
                return "no channel";
            }
            World.rest();
            return String.valueOf(here.channel().socket().getInputStream().available());
        }
    }

    /** Skips what is on its way. */
    record StreamSkip(int end, int size) implements Step {
        @Override
        public String run(World world) throws Exception {
            End here = world.end(end);
            if (here.channel() == null || here.in().isUnknown() || here.in().inFlight() == 0) {
                return "no channel";
            }
            int length = Math.min(size, here.in().inFlight());
            long n = here.channel().socket().getInputStream().skip(length);
            ByteBuffer skipped = ByteBuffer.wrap(here.in().after(length));
            skipped.position((int) n);
            return Transfers.received(here, skipped);
        }
    }
}
