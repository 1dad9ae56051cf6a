// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Log;
import io.accel.core.jdk.OpenFiles;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;

/**
 * Wakes the thread that sleeps in a selector by a byte in a pipe that the selector watches.
 *
 * <p>The JDK's {@link Selector#wakeup()} writes to a descriptor, too, but it holds a lock meanwhile that the woken
 * thread takes first. The kernel often runs the woken thread before the other one has left the lock, on the same
 * processor or on an idle one. The woken thread then sleeps again, until the other one wakes it a second time. Where
 * threads hand work to each other by selectors, as in Netty, one wake-up in four was seen to go that way.
 *
 * <p>{@link #ring} is for any thread; all else is for the owner of the poller's turn.
 */
final class WakePipe {
    private static final Log LOG = Log.of(WakePipe.class);
    /** More than the one byte that there can be. */
    private static final int MOST_BYTES = 8;
    /** A process that may have fewer descriptors does without pipes: two for each selector are too many. */
    private static final int LEAST_LIMIT = 1_024;

    private static final VarHandle RUNG;

    static {
        try {
            RUNG = MethodHandles.lookup().findVarHandle(WakePipe.class, "rung", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Pipe.SourceChannel source;
    private final Pipe.SinkChannel sink;
    private final ByteBuffer drained = ByteBuffer.allocateDirect(MOST_BYTES);
    /** Its position is guarded by the sink's monitor. */
    private final ByteBuffer rings = ByteBuffer.allocateDirect(1);

    /**
     * Whether a byte has been written, or is about to be, that was not read. Set by a thread that rings, which writes
     * the byte; cleared by the turn's owner after it has read, and before it looks for what the others have left.
     */
    @SuppressWarnings("unused") // through RUNG
    private volatile boolean rung;

    private WakePipe(Pipe pipe, Selector selector) throws IOException {
        source = pipe.source();
        sink = pipe.sink();
        source.configureBlocking(false);
        sink.configureBlocking(false);
        SelectionKey unused = source.register(selector, SelectionKey.OP_READ, this);
    }

    /**
     * Opens a pipe, and has the selector watch it. The attachment of the key is the pipe.
     *
     * @param selector the selector, one of the provider's
     * @param provider opens the pipe
     * @return null if no pipe can be had: the selector's own means are left
     */
    static WakePipe open(Selector selector, SelectorProvider provider) {
        if (OpenFiles.LIMIT > 0 && OpenFiles.LIMIT < LEAST_LIMIT) {
            return null;
        }
        Pipe pipe = null;
        try {
            pipe = provider.openPipe();
            return new WakePipe(pipe, selector);
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "a selector is woken by the JDK's means, since no pipe can be opened", e);
            if (pipe != null) {
                close(pipe.sink());
                close(pipe.source());
            }
            return null;
        }
    }

    /**
     * Wakes the selector, or lets its next select return at once. Any thread; call it after the word that the owner
     * is to find was left.
     *
     * @return false if the pipe has failed, and the selector has to be woken by its own means
     */
    boolean ring() {
        if (!(boolean) RUNG.compareAndSet(this, false, true)) {
            return true; // the byte of another thread wakes the owner, which clears the flag before it looks
        }
        boolean done = false;
        try {
            synchronized (sink) {
                rings.clear();
                done = sink.write(rings) > 0;
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the pipe that wakes a selector has failed", e);
        } finally {
            if (!done) { // also after an error such as a stack that is too deep: the next thread has to ring
                rung = false;
            }
        }
        return done;
    }

    /** Reads what was written, when a select has found the pipe. What others have left is looked for afterwards. */
    void drain() throws IOException {
        drained.clear();
        int unused = source.read(drained);
        rung = false;
    }

    /** Closes the pipe, after its selector. */
    void close() {
        close(sink);
        close(source);
    }

    private static void close(Channel end) {
        try {
            end.close();
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "a pipe's end could not be closed", e);
        }
    }
}
