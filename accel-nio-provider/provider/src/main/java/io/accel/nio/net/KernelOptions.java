// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;

/** The numbered options of {@link SocketOptions} on a socket of the JDK's. The socket checks, rounds and keeps them. */
final class KernelOptions {
    private KernelOptions() {}

    static void set(Socket socket, int option, Object value) throws SocketException {
        switch (option) {
            case SocketOptions.SO_TIMEOUT -> socket.setSoTimeout((Integer) value);
            case SocketOptions.TCP_NODELAY -> socket.setTcpNoDelay((Boolean) value);
            case SocketOptions.SO_LINGER -> {
                boolean on = value instanceof Integer;
                socket.setSoLinger(on, on ? (Integer) value : 0);
            }
            case SocketOptions.SO_SNDBUF -> socket.setSendBufferSize((Integer) value);
            case SocketOptions.SO_RCVBUF -> socket.setReceiveBufferSize((Integer) value);
            case SocketOptions.SO_KEEPALIVE -> socket.setKeepAlive((Boolean) value);
            case SocketOptions.SO_OOBINLINE -> socket.setOOBInline((Boolean) value);
            case SocketOptions.SO_REUSEADDR -> socket.setReuseAddress((Boolean) value);
            case SocketOptions.IP_TOS -> socket.setTrafficClass((Integer) value);
            case SocketOptions.SO_REUSEPORT -> {
                try {
                    socket.setOption(StandardSocketOptions.SO_REUSEPORT, (Boolean) value);
                } catch (IOException e) {
                    throw (SocketException) new SocketException(e.getMessage()).initCause(e);
                }
            }
            default -> throw new SocketException("Unknown option " + option);
        }
    }

    static Object get(Socket socket, int option) throws SocketException {
        return switch (option) {
            case SocketOptions.SO_TIMEOUT -> socket.getSoTimeout();
            case SocketOptions.TCP_NODELAY -> socket.getTcpNoDelay();
            case SocketOptions.SO_LINGER -> linger(socket.getSoLinger());
            case SocketOptions.SO_SNDBUF -> socket.getSendBufferSize();
            case SocketOptions.SO_RCVBUF -> socket.getReceiveBufferSize();
            case SocketOptions.SO_KEEPALIVE -> socket.getKeepAlive();
            case SocketOptions.SO_OOBINLINE -> socket.getOOBInline();
            case SocketOptions.SO_REUSEADDR -> socket.getReuseAddress();
            case SocketOptions.IP_TOS -> socket.getTrafficClass();
            case SocketOptions.SO_BINDADDR -> socket.getLocalAddress();
            case SocketOptions.SO_REUSEPORT -> {
                try {
                    yield socket.getOption(StandardSocketOptions.SO_REUSEPORT);
                } catch (IOException e) {
                    throw (SocketException) new SocketException(e.getMessage()).initCause(e);
                }
            }
            default -> throw new SocketException("Unknown option " + option);
        };
    }

    /** Returns the seconds, or false for none, as the old interface does. */
    private static Object linger(int seconds) {
        if (seconds < 0) {
            return false;
        }
        return seconds;
    }
}
