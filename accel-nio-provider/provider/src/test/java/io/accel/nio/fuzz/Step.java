// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

/** One action of a program: a record, whose text describes it. */
interface Step {
    /**
     * Does it.
     *
     * @return the outcome, in words that are the same each time; the caller reports an exception
     */
    String run(World world) throws Exception;
}
