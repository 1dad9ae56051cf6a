// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

/** One thing that a program does; a record, whose text tells it. */
interface Step {
    /**
     * Does it.
     *
     * @return what came of it, in words that are the same each time; what it throws is told by the caller
     */
    String run(World world) throws Exception;
}
