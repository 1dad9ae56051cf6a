// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

/** One of the two ends of a case. */
public enum End {
    SERVER("server"),
    CLIENT("client");

    final String label;

    End(String label) {
        this.label = label;
    }
}
