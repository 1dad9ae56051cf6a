package io.accel.core.socket;

import io.accel.core.capture.Capture;
import io.accel.core.daemon.Log;
import io.accel.core.observe.BuildInfo;
import io.accel.core.observe.CaptureCounters;
import io.accel.core.observe.CaptureRequest;
import io.accel.core.observe.CaptureSource;
import io.accel.core.observe.Connections;
import io.accel.core.observe.ObservedConnection;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Captures what goes by the links of this process, one capture at a time: taps each link that there is, and each that comes, so that the
 * threads that read and write copy what they carry. Without a capture a link looks here once when it comes, and once when it goes. Any
 * thread.
 */
public final class Captures implements CaptureSource {
    private static final Log LOG = Log.of(Captures.class);
    private static final Captures OF_PROCESS = new Captures();
    /** How long the reader hears nothing, and what it says is not heard. */
    private static final long HEARTBEAT_MILLIS = 100;

    private static final int PART = 4 * Capture.MOST_BLOCK;

    /** The one under way, or null. Written under the monitor. */
    private volatile Capture running;
    /** What is tapped, with its addresses, this end's first. Guarded by this. */
    private final Map<LinkStream, List<InetSocketAddress>> tapped = new HashMap<>();
    /** These addresses. Guarded by this. */
    private final Set<List<InetSocketAddress>> ends = new HashSet<>();

    private Captures() {}

    /** Those of this process. */
    public static Captures get() {
        return OF_PROCESS;
    }

    /** A connection is about to have a link, or has it; to be called both times. */
    static void opened(LinkStream stream) {
        if (OF_PROCESS.running != null) {
            OF_PROCESS.tap(stream);
        }
    }

    /** A link is let go of. */
    static void closed(LinkStream stream) {
        if (OF_PROCESS.running != null) {
            OF_PROCESS.forget(stream);
        }
    }

    /** Taps a link that is wanted. Of a connection that has both its ends in this process, one is enough. */
    private void tap(LinkStream stream) {
        StreamSocket socket = stream.socket();
        if (!(socket.observedLocal() instanceof InetSocketAddress local)
                || !(socket.observedRemote() instanceof InetSocketAddress remote)) {
            return; // it is just closing
        }
        synchronized (this) {
            Capture now = running;
            if (now != null
                    && now.wants(local, remote)
                    && !stream.isClosed() // else it was forgotten already
                    && !tapped.containsKey(stream)
                    && !ends.contains(List.of(remote, local))) {
                tapped.put(stream, List.of(local, remote));
                ends.add(List.of(local, remote));
                stream.tap(now, local, remote);
            }
        }
    }

    private synchronized void forget(LinkStream stream) {
        List<InetSocketAddress> addresses = tapped.remove(stream);
        if (addresses != null) {
            ends.remove(addresses);
        }
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
                        "accel: ''accel capture'' of user {0} begins to copy what accelerated connections carry{1}",
                        user,
                        request.ports().isEmpty() ? "" : ", at ports " + request.ports());
        try {
            for (ObservedConnection each : Connections.all()) {
                LinkStream link = each instanceof ConnectionRecord connection ? connection.attached() : null;
                if (link != null) {
                    tap(link);
                }
            }
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
            tapped.keySet().forEach(LinkStream::untap);
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
                end(capture); // what was captured until now is still taken
            }
            fill(part.clear(), capture, isLast ? 0 : HEARTBEAT_MILLIS, most);
            sink.take(part.flip());
        }
        end(capture);
        capture.end(part.clear());
        sink.take(part.flip());
    }

    /** Puts as many packets into a part as there are and fit. */
    private static void fill(ByteBuffer part, Capture capture, long millis, long most) throws InterruptedException {
        long wait = millis;
        while (capture.taken() < most && part.remaining() >= Capture.MOST_BLOCK && capture.take(part, wait)) {
            wait = 0;
        }
    }
}
