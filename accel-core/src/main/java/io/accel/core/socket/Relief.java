// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.DescriptorShare;
import io.accel.core.fabric.Shortage;
import io.accel.core.jdk.OpenFiles;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives back what Accel has when an operation of the program's fails for want of it, so that the operation can be tried again: without Accel
 * it would have had that. Closes idle selectors first, then gives back links, those first that have been idle for longest. Any thread.
 */
public final class Relief {
    /** What has come of it. */
    public enum Outcome {
        /** The operation failed for another reason, or Accel has nothing to give back. */
        NONE,
        /** There is something again: the operation is worth another try. */
        DONE,
        /** Links are on their way back, and have not come in time. */
        UNDER_WAY
    }

    /** An operation that takes a descriptor of the process. */
    @FunctionalInterface
    public interface Operation<T> {
        /** Does it. */
        T run() throws IOException;
    }

    /** How long an operation that may wait does so: peers that are busy are asked once a second. */
    public static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);
    /** How long an operation waits that the program has not allowed to wait. */
    public static final long HARDLY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** How long a selector may take to close the descriptor of a channel that was closed, as threads of Accel's do. */
    private static final long CLOSING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    /** How many links are given back at a time: one for the operation, the others for those that follow it. */
    private static final int LINKS = 16;

    /** How often an operation is tried at most. */
    private static final int MOST_TRIES = 8;

    private Relief() {}

    /**
     * Runs an operation, and {@linkplain #again again} if it fails for want of something that can be given back.
     *
     * @param operation the operation
     * @param accelerator whose idle selectors are closed; it makes what it needs to wait only if the operation fails
     * @return its result
     * @throws IOException as the operation
     */
    public static <T> T run(Operation<T> operation, Accelerator accelerator) throws IOException {
        try {
            return operation.run();
        } catch (IOException e) {
            return again(e, operation, accelerator.waits());
        }
    }

    /**
     * Runs an operation again that has failed, as long as there is something to give back for it.
     *
     * @param failure how it failed
     * @param operation the operation
     * @param waits whose idle selectors are closed
     * @return its result
     * @throws IOException as the operation
     */
    public static <T> T again(IOException failure, Operation<T> operation, BlockingWaits waits) throws IOException {
        IOException last = failure;
        for (int tries = 1; after(last, waits, PATIENCE_NANOS, tries) == Outcome.DONE; tries++) {
            try {
                return operation.run();
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }

    /**
     * Begins to give back what an operation lacked that cannot be tried again, so that the program's next attempt finds it.
     *
     * @param e the operation's failure
     * @param waits whose idle selectors are closed
     * @return that failure, to be thrown
     */
    public static IOException forNext(IOException e, BlockingWaits waits) {
        Outcome unused = after(e, waits, 0, 1);
        return e;
    }

    /**
     * Gives back what an operation lacked.
     *
     * @param e the operation's failure
     * @param waits whose idle selectors are closed
     * @param mostNanos how long to wait for links to come back
     * @param tries how often the operation has failed
     * @return whether to try again
     */
    public static Outcome after(IOException e, BlockingWaits waits, long mostNanos, int tries) {
        if (tries > MOST_TRIES || isOther(e)) {
            return Outcome.NONE;
        }
        // One more descriptor was not enough, perhaps: a selector takes two.
        boolean isMoreWanted = lacksMemory(e) || tries > 1;
        if (!isMoreWanted && !lacksFiles(e)) {
            return Outcome.NONE;
        }
        long before = DescriptorShare.taken();
        if (before == 0) { // the last may have come back since the operation began
            return afterTheLast(e, mostNanos);
        }
        Shortage.begin();
        waits.closeIdle();
        long start = System.nanoTime();
        boolean asked = false;
        while (true) {
            if (isMoreWanted ? DescriptorShare.taken() < before : OpenFiles.canOpen()) {
                return Outcome.DONE;
            }
            if (DescriptorShare.taken() == 0) { // the last may have come back since the look above
                return isMoreWanted ? Outcome.DONE : afterTheLast(e, mostNanos - (System.nanoTime() - start));
            }
            if (!asked) {
                asked = true;
                StreamUpgrades.get().giveBack(LINKS);
            } else if (System.nanoTime() - start >= mostNanos
                    || Thread.currentThread().isInterrupted()) {
                return Outcome.UNDER_WAY;
            }
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    /** Goes on where Accel has nothing to give back any more: what came back last may still be about to be closed. */
    private static Outcome afterTheLast(IOException e, long mostNanos) {
        if (lacksMemory(e)) {
            return Outcome.DONE;
        }
        if (!lacksFiles(e)) {
            return Outcome.NONE;
        }
        long start = System.nanoTime();
        while (!OpenFiles.canOpen()) {
            if (!DescriptorShare.hasGivenBackWithin(CLOSING_NANOS)) {
                return Outcome.NONE;
            }
            if (System.nanoTime() - start >= mostNanos || Thread.currentThread().isInterrupted()) {
                return Outcome.UNDER_WAY;
            }
            LockSupport.parkNanos(NAP_NANOS);
        }
        return Outcome.DONE;
    }

    /** Whether the JDK's class for it says that nothing was lacking, however little there is at the moment. */
    private static boolean isOther(IOException e) {
        return e instanceof ClosedChannelException
                || e instanceof SocketTimeoutException
                || e instanceof ConnectException
                || e instanceof NoRouteToHostException
                || e instanceof UnknownHostException
                || e instanceof BindException;
    }

    /** The message is the C library's, in the user's language, so it is not all that is gone by. */
    private static boolean lacksFiles(IOException e) {
        return String.valueOf(e.getMessage()).contains("Too many open files") || !OpenFiles.canOpen();
    }

    private static boolean lacksMemory(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains("Cannot allocate memory") || message.contains("No buffer space");
    }
}
