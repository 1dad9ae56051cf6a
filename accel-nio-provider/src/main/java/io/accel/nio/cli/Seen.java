package io.accel.nio.cli;

import io.accel.core.observe.ProcessSample;

/**
 * A process as it was seen at one look.
 *
 * @param user the name of the user to whom it belongs
 * @param sample what it said
 */
record Seen(String user, ProcessSample sample) {}
