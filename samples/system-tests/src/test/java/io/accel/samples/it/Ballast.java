// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that takes all the room that a file system has left. */
final class Ballast {
    private Ballast() {}

    /** Fills the directory's file system down to the last page, which is why it ends by failing. */
    static void fill(Path directory) throws IOException {
        byte[] page = new byte[4096];
        try (OutputStream out = Files.newOutputStream(directory.resolve("ballast"))) {
            while (true) {
                out.write(page);
            }
        } catch (IOException e) {
            if (!String.valueOf(e.getMessage()).contains("No space left")) {
                throw e;
            }
        }
    }
}
