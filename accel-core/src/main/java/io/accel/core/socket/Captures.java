// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.capture.Capture;
import io.accel.core.daemon.ExitDelay;
import io.accel.core.daemon.Log;
import io.accel.core.observe.BuildInfo;
import io.accel.core.observe.CaptureCounters;
import io.accel.core.observe.CaptureRequest;
import io.accel.core.observe.CaptureSource;
import io.accel.core.observe.Connections;
import io.accel.core.observe.ObservedConnection;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Captures the traffic of this process's links, one capture at a time. It taps each existing link, and each new one, so that the threads
 * that read and write copy the bytes they carry. Without a capture a link looks here once when it comes, and once when it goes. Any thread.
 */
public final class Captures implements CaptureSource {
    private static final Log LOG = Log.of(Captures.class);
    private static final Captures OF_PROCESS = new Captures();
    /** How long the reader hears nothing, and its words are not heard. */
    private static final long HEARTBEAT_MILLIS = 100;

    /** How long the process's end waits for the reader, which may be slow. */
    private static final long AT_EXIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int PART = 4 * Capture.MOST_BLOCK;

    /** The capture under way, or null. Written under the monitor. */
    private volatile Capture running;
    /** The tapped links and their ends. Guarded by this. */
    private final Map<CapturedLink, CapturedLink.Ends> tapped = new HashMap<>();
    /**
     * The number of tapped links for each pair of ends. Two datagram sockets have two links if each looked for the other at the same time.
     * Guarded by this.
     */
    private final Map<CapturedLink.Ends, Integer> ends = new HashMap<>();

    private final ExitDelay delay = new ExitDelay("accel-capture-end", this::isPassedOn, AT_EXIT_NANOS);

    private Captures() {}

    /** The captures of this process. */
    public static Captures get() {
        return OF_PROCESS;
    }

    /**
     * Takes note of a new link. To be called before anything can go over it. If a beginning capture cannot find the link yet, the
     * caller must call this again when it can: a capture that has begun meanwhile has looked too early.
     */
    static void opened(CapturedLink link) {
        if (OF_PROCESS.running != null) {
            OF_PROCESS.tap(link);
        }
    }

    /** Records that a link is released. */
    static void closed(CapturedLink link) {
        if (OF_PROCESS.running != null) {
            OF_PROCESS.forget(link);
        }
    }

    /** Taps a link that the capture wants. If both ends of a link are in this process, one end is enough. */
    private void tap(CapturedLink link) {
        CapturedLink.Ends between = link.ends();
        if (between == null) {
            return;
        }
        synchronized (this) {
            Capture now = running;
            if (now != null
                    && now.wants(between.local(), between.remote())
                    && !link.isClosed() // otherwise it was forgotten already
                    && !tapped.containsKey(link)
                    && !ends.containsKey(between.reversed())) {
                tapped.put(link, between);
                ends.merge(between, 1, Integer::sum);
                link.tap(now, between);
            }
        }
    }

    private synchronized void forget(CapturedLink link) {
        CapturedLink.Ends between = tapped.remove(link);
        if (between != null) {
            ends.computeIfPresent(between, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    /** The link of an observed connection; null if it has none. */
    private static CapturedLink linkOf(ObservedConnection observed) {
        if (observed instanceof ConnectionRecord connection) {
            return connection.attached();
        }
        return observed instanceof DatagramRecord datagrams ? datagrams.link() : null;
    }

    @Override
    public Totals capture(CaptureRequest request, String user, Sink sink) throws IOException {
        Capture capture = new Capture(request.ports(), request.seconds());
        if (!begin(capture)) {
            return null;
        }
        LOG.get()
                .log(
                        Level.INFO,
                        "accel: ''accel capture'' of user {0} begins to copy what accelerated paths carry{1}",
                        user,
                        request.ports().isEmpty() ? "" : ", at ports " + request.ports());
        try {
            for (ObservedConnection each : Connections.observe()) {
                CapturedLink link = linkOf(each);
                if (link != null) {
                    tap(link);
                }
            }
            delay.begin(); // what a process does last is often what its user looks for
            send(capture, request.packets() == 0 ? Long.MAX_VALUE : request.packets(), sink);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            end(capture);
            LOG.get()
                    .log(
                            Level.INFO,
                            "accel: ''accel capture'' of user {0} has ended: {1} packets, and {2} dropped",
                            user,
                            capture.taken(),
                            capture.dropped());
        }
        return new Totals(capture.taken(), capture.dropped());
    }

    /** Whether there is no capture, or it has passed on what was captured until now. Any thread. */
    boolean isPassedOn() {
        Capture now = running;
        return now == null || now.isPassedOn();
    }

    private synchronized boolean begin(Capture capture) {
        if (running != null) {
            return false;
        }
        running = capture;
        CaptureCounters.begun();
        return true;
    }

    private synchronized void end(Capture capture) {
        if (running == capture) {
            capture.stop();
            running = null;
            tapped.keySet().forEach(CapturedLink::untap);
            tapped.clear();
            ends.clear();
            CaptureCounters.ended();
        }
    }

    private void send(Capture capture, long most, Sink sink) throws IOException, InterruptedException {
        ByteBuffer part = ByteBuffer.allocate(PART);
        capture.begin(part, "accel " + BuildInfo.version());
        sink.take(part.flip());
        boolean isLast = false;
        while (capture.taken() < most && !(isLast && part.limit() == 0)) {
            isLast = capture.isOver() || !sink.isWanted();
            if (isLast) {
                end(capture); // the packets captured until now are still taken
            }
            fill(part.clear(), capture, isLast ? 0 : HEARTBEAT_MILLIS, most);
            sink.take(part.flip());
            capture.passedOn();
        }
        end(capture);
        capture.end(part.clear());
        sink.take(part.flip());
    }

    /** Puts as many of the waiting packets into a part as fit. */
    private static void fill(ByteBuffer part, Capture capture, long millis, long most) throws InterruptedException {
        long wait = millis;
        while (capture.taken() < most && part.remaining() >= Capture.MOST_BLOCK && capture.take(part, wait)) {
            wait = 0;
        }
    }
}
