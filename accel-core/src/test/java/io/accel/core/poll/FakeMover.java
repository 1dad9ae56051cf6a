// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * A pollable in memory that a look finds to have gone elsewhere, like a connection that goes back to the kernel's path. For one thread.
 */
final class FakeMover implements Pollable, AutoCloseable {
    /** The place of the awaited event. */
    enum Place {
        MEMORY,
        /** The place where another look finds it, which is empty before the poller has heard of the move. */
        MEMORY_ELSEWHERE,
        KERNEL
    }

    private final FakeKernel kernel = new FakeKernel();
    private Registration registration;
    private Place place = Place.MEMORY;
    /** The place where the next look finds that it has gone. */
    private Place next = Place.MEMORY;

    FakeMover() throws IOException {}

    /** It is ready, elsewhere. */
    void moveTo(Place elsewhere) throws IOException {
        next = elsewhere;
        if (elsewhere == Place.KERNEL) {
            kernel.makeReadable();
        }
    }

    @Override
    public SelectableChannel watched() {
        return kernel.watched();
    }

    @Override
    public int watchedOps(int interest) {
        return place == Place.KERNEL ? interest : 0;
    }

    @Override
    public boolean isPolled() {
        return place != Place.KERNEL;
    }

    @Override
    public int look(int interest) {
        if (place != next) {
            place = next;
            registration.refresh();
            return 0;
        }
        return place == Place.MEMORY_ELSEWHERE ? interest & SelectionKey.OP_READ : 0;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        return interest & watchedReady;
    }

    @Override
    public void arm(int interest) {
        // nobody rings
    }

    @Override
    public long deadline() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean retained(Registration by) {
        registration = by;
        return true;
    }

    @Override
    public void released(Registration by) {
        registration = null;
    }

    @Override
    public void close() throws IOException {
        kernel.close();
    }
}
