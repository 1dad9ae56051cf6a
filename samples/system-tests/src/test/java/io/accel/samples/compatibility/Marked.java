// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.compatibility;

import java.util.List;

/**
 * A program that a test is marked with.
 *
 * @param module the directory of the test's module
 * @param test the simple name of the test's class
 * @param artifact {@code groupId:artifactId}; empty for a part of the JDK
 * @param over the names of the fabrics that carry its bytes
 */
record Marked(
        String module, String test, String name, String artifact, String how, List<String> over, boolean onlyWithAll) {
    Marked {
        over = List.copyOf(over);
    }
}
