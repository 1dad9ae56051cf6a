// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;

/** Keeps one processor busy until its input ends. Nobody uses its results. */
public final class Hog {
    /** Written so that there is something to compute. */
    @SuppressWarnings("UnusedVariable")
    private static volatile long result;

    private Hog() {}

    public static void main(String[] args) throws IOException {
        Control.serveInBackground();
        Event.named("ready").send();
        long value = 1;
        while (true) {
            for (int i = 0; i < 1_000_000; i++) {
                value = value * 6364136223846793005L + 1442695040888963407L;
            }
            result = value;
        }
    }
}
