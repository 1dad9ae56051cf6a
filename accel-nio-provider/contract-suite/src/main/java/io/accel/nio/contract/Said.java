// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/** What operations say: a result each, or an exception's class and message. Used by one thread. */
public final class Said {
    /** The state of a stream's end when it is asked. */
    public enum EndState {
        NEW,
        BOUND,
        CONNECTED,
        INPUT_SHUT,
        OUTPUT_SHUT,
        CLOSED,
        PEER_HAS_CLOSED;

        /** Whether it has been connected, whatever has become of that. */
        public boolean wasConnected() {
            return this != NEW && this != BOUND;
        }

        /** Whether a read would wait. */
        public boolean readsWait() {
            return this == CONNECTED || this == OUTPUT_SHUT;
        }
    }

    /** The state of a listener when it is asked. */
    public enum ListenerState {
        NEW,
        BOUND,
        CLOSED
    }

    /** An address of no kind that anything takes. */
    public static final SocketAddress ODD = new SocketAddress() {
        private static final long serialVersionUID = 1L;
    };

    public static final InetSocketAddress UNRESOLVED = InetSocketAddress.createUnresolved("no.invalid", 7);

    /** Reads an option. */
    public interface Getter {
        Object get(SocketOption<?> option) throws Exception;
    }

    /** Sets an option. */
    public interface Setter {
        Object set(SocketOption<Object> option, Object value) throws Exception;
    }

    private final List<String> lines = new ArrayList<>();

    /** Does something. */
    public void to(String what, Callable<?> action) {
        lines.add(what + ": " + outcome(action));
    }

    /** Reads and sets options, some of which nothing has, to values of which some are none. */
    @SuppressWarnings("unchecked") // what a program without generics can say
    public void options(Getter getter, Setter setter) {
        to("get no option", () -> getter.get(null));
        to("get an odd option", () -> getter.get(StandardSocketOptions.IP_MULTICAST_TTL));
        to("get an option", () -> getter.get(StandardSocketOptions.SO_REUSEADDR));
        for (SocketOption<?> option : new SocketOption<?>[] {
            null,
            StandardSocketOptions.IP_MULTICAST_TTL,
            StandardSocketOptions.SO_RCVBUF,
            StandardSocketOptions.SO_LINGER
        }) {
            for (Object value : new Object[] {null, -7, "text", true}) {
                to("set " + option + " to " + value, () -> setter.set((SocketOption<Object>) option, value) != null);
            }
        }
    }

    /** The result of an action, or its exception. */
    public static String outcome(Callable<?> action) {
        try {
            return "" + action.call();
        } catch (ExecutionException e) {
            return "later " + textOf(e.getCause());
        } catch (Exception e) {
            return textOf(e);
        }
    }

    private static String textOf(Throwable e) {
        // The JVM makes these messages of what the code looks like.
        boolean isCodes = e instanceof NullPointerException
                || e instanceof IndexOutOfBoundsException
                || e instanceof ClassCastException;
        return e.getClass().getName() + (isCodes ? "" : ": " + e.getMessage());
    }

    /** All that was said, a line each. */
    public String all() {
        return String.join("\n", lines);
    }
}
