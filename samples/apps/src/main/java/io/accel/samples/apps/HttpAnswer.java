// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The answer of an HTTP server: each has to be 1 KiB. */
record HttpAnswer(int status, int length) {
    static final int BODY_BYTES = 1024;

    /** The answer that servers send. */
    static byte[] body() {
        return "x".repeat(BODY_BYTES).getBytes(StandardCharsets.US_ASCII);
    }

    static void check(HttpAnswer answer) throws IOException {
        if (answer.status != 200 || answer.length != BODY_BYTES) {
            throw new IOException("an answer with status " + answer.status + " and " + answer.length + " bytes");
        }
    }
}
