// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.handover.Senses;
import io.accel.core.poll.ProcessLoad;

/** The load of this process, for the decision about links. {@link StreamSearches}' thread. */
final class LoadSenses implements Senses {
    private final ProcessLoad load = new ProcessLoad();

    @Override
    public long compilerNanos() {
        return load.compilerNanos();
    }

    @Override
    public long processNanos() {
        return load.processNanos();
    }

    @Override
    public long threadNanos() {
        return load.threadNanos();
    }

    @Override
    public boolean isCrowded() {
        return load.isCrowded();
    }
}
