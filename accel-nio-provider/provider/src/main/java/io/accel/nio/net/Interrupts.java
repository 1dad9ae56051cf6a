// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.jdk.VirtualThreads;
import java.io.InterruptedIOException;

/**
 * Decides what an interrupt does to a thread that waits on a socket, as in the JDK. A platform thread waits on, and stays interrupted.
 * A virtual thread gets an exception, upon which {@code java.net.Socket} closes. For one operation of one thread.
 */
final class Interrupts {
    private boolean kept;

    /** Takes the interrupt. To be called before each wait, as an interrupted thread could not wait. */
    void check() throws InterruptedIOException {
        if (Thread.interrupted()) {
            if (VirtualThreads.isCurrent()) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Closed by interrupt");
            }
            kept = true;
        }
    }

    /** Restores the interrupt. To be called when the operation ends. */
    void restore() {
        if (kept) {
            Thread.currentThread().interrupt();
        }
    }
}
