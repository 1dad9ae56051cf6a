package io.accel.nio.net;

import io.accel.core.jdk.VirtualThreads;
import java.io.InterruptedIOException;

/**
 * What an interrupt does to a thread that waits on a socket, as with the JDK's: nothing to a platform thread, which stays
 * interrupted; a virtual one gets an exception, upon which {@code java.net.Socket} closes. For one operation of one thread.
 */
final class Interrupts {
    private boolean kept;

    /** To be called before each wait, which an interrupted thread could not do. */
    void check() throws InterruptedIOException {
        if (Thread.interrupted()) {
            if (VirtualThreads.isCurrent()) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Closed by interrupt");
            }
            kept = true;
        }
    }

    /** To be called when the operation ends. */
    void restore() {
        if (kept) {
            Thread.currentThread().interrupt();
        }
    }
}
