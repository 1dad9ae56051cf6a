// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.fabric.rdma.verbs.Verbs;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException;
import java.io.File;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The devices that librdmacm has open for this process. It opens a device for the first identifier on it, and keeps it open when the last
 * has gone. A driver that cannot take its device from a process, such as Soft-RoCE's, waits for the process to close a device that
 * is being removed. So this has librdmacm close it: at once, for librdmacm itself waits for the identifiers that are still there.
 *
 * <p>The connection manager tells of a removal those who have an identifier on the device. A client has none in between two
 * connections, nor has a listener on all addresses, and a handshake hears for itself. So in addition this looks each second whether the file of each
 * device is still there, which costs one system call for each.
 *
 * <p>One thread looks, and is told of removals; {@link #opened} is for any thread.
 */
final class OpenDevices {
    private static final Log LOG = Log.of(OpenDevices.class);
    private static final File FILES = new File("/sys/class/infiniband_verbs");
    private static final long PAUSE_NANOS = 1_000_000_000L;
    /** librdmacm closes nothing as long as the last device is the one that goes, which may be so for good. */
    private static final long LONGEST_PAUSE_NANOS = 60 * PAUSE_NANOS;

    private final Set<Context> open = ConcurrentHashMap.newKeySet();
    private final Runnable whenFirst;
    private final Consumer<Context> whenGone;

    // Only the thread that looks uses these:
    private boolean removal;
    private long pause = PAUSE_NANOS;
    private long lookAt = System.nanoTime();

    /**
     * Makes the record of the devices, of which there are none yet.
     *
     * @param whenFirst called when {@link #nextLook} may be sooner than it was; by any thread
     * @param whenGone gets a device that is being removed, perhaps several times; by the thread that looks
     */
    OpenDevices(Runnable whenFirst, Consumer<Context> whenGone) {
        this.whenFirst = whenFirst;
        this.whenGone = whenGone;
    }

    /** An identifier is on this device, perhaps the first. Any thread. */
    void opened(Context context) {
        if (!open.contains(context) && open.add(context)) {
            whenFirst.run();
        }
    }

    /** A device is being removed. */
    void removal() {
        removal = true;
    }

    /** When to call {@link #look}; {@link Long#MAX_VALUE} for never. */
    long nextLook() {
        return open.isEmpty() ? Long.MAX_VALUE : lookAt;
    }

    /** Has devices closed that are being removed, if it is time to look, or a removal was told. */
    void look(long now) {
        if (!removal && (open.isEmpty() || now - lookAt < 0)) {
            return;
        }
        boolean isDue = removal;
        removal = false;
        for (Context context : open) {
            if (!isThere(context)) {
                isDue = true;
                whenGone.accept(context);
            }
        }
        if (isDue) {
            release();
        }
        lookAt = System.nanoTime() + pause;
    }

    /** The kernel removes the file before it waits for those who have it open. */
    private static boolean isThere(Context context) {
        return new File(FILES, context.fileName()).exists() || !FILES.exists();
    }

    private void release() {
        Set<Context> before = new HashSet<>(open); // what is opened meanwhile stays
        Set<Context> left = new HashSet<>();
        boolean hasLooked = false;
        try {
            hasLooked = Verbs.releaseRemovedDevices(left::add);
        } catch (VerbsException | VerbsUnavailableException e) {
            LOG.get().log(Level.WARNING, "a removed RDMA device may not be let go of, and cannot go until then", e);
        }
        if (hasLooked) {
            before.removeAll(left);
            open.removeAll(before);
            open.addAll(left);
        }
        pause = hasLooked ? PAUSE_NANOS : Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }
}
