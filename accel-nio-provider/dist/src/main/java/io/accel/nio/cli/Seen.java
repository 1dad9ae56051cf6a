// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.core.observe.ProcessSample;

/**
 * A process as it was seen at one look.
 *
 * @param user the name of the process's user
 * @param sample the sample of the process
 */
record Seen(String user, ProcessSample sample) {}
