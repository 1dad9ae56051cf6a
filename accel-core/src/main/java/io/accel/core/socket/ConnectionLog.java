// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.daemon.Log;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Logs which path a connection took. A fall-back that somebody can do something about is logged at INFO, once in a while for each reason
 * and destination. Other fall-backs, and accelerated connections, are logged at DEBUG, or at INFO if {@code log.connections} is on.
 */
final class ConnectionLog {
    private static final Log LOG = Log.of("io.accel");
    private static final long QUIET_NANOS = 10_000_000_000L;
    private static final int MOST = 1_000;

    private record Subject(FallbackReason reason, String where) {}

    private final boolean everything;
    private final ConcurrentMap<Subject, Long> said = new ConcurrentHashMap<>();

    ConnectionLog(boolean everything) {
        this.everything = everything;
    }

    /** Whether connections that closed before anything was decided about them are logged, too. */
    boolean saysAll() {
        return everything;
    }

    void connected(SocketAddress local, SocketAddress remote, PathInfo path) {
        say(path, remote, new Line("connected", local, " -> ", remote, " by ", path, ""));
    }

    /** Logs a connection that fails because it would have to go through the kernel, which {@code fallback=fail} forbids. */
    void refused(SocketAddress local, SocketAddress remote, PathInfo path) {
        say(path, remote, new Line("refused", local, " -> ", remote, " by ", path, ", because of fallback=fail"));
    }

    /** Logs a connection that has moved while it lives, and not because it has carried enough. */
    void moved(SocketAddress local, SocketAddress remote, PathInfo path) {
        say(path, remote, new Line("moved", local, " -> ", remote, " to ", path, ""));
    }

    void accepted(SocketAddress local, SocketAddress remote, PathInfo path) {
        say(everything, new Line("accepted", local, " <- ", remote, " by ", path, ""));
    }

    void listening(SocketAddress local, PathInfo path) {
        say(path, local, new Line("listening on", local, "", null, " for ", path, ""));
    }

    void datagrams(SocketAddress local, SocketAddress remote, PathInfo path) {
        say(path, remote, new Line("datagrams", local, " -> ", remote, " by ", path, ""));
    }

    /** A line of the log, put together when it is wanted. */
    private record Line(
            String what, SocketAddress local, String arrow, SocketAddress remote, String by, PathInfo path, String end)
            implements Supplier<String> {
        @Override
        public String get() {
            return "accel: " + what + " " + local + arrow + (remote == null ? "" : remote) + by + path + end;
        }
    }

    private void say(PathInfo path, SocketAddress where, Line line) {
        say(everything || isNews(path, where), line);
    }

    private static void say(boolean isNews, Line line) {
        if (isNews) {
            LOG.get().log(Level.INFO, line);
        } else {
            LOG.detail(line);
        }
    }

    private boolean isNews(PathInfo path, SocketAddress place) {
        if (path.reason() == null || !path.reason().remarkable()) {
            return false;
        }
        long now = System.nanoTime();
        if (said.size() >= MOST) {
            said.clear();
        }
        Subject subject = new Subject(path.reason(), String.valueOf(place));
        Long last = said.get(subject);
        if (last != null && now - last < QUIET_NANOS) {
            return false;
        }
        said.put(subject, now);
        return true;
    }
}
