// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import java.util.List;

/** Thrown when Accel's settings in a program's configuration have mistakes. The message has a line for each, with its place. */
public final class InvalidSettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidSettingsException(List<String> lines, Throwable cause) {
        super(String.join(System.lineSeparator(), lines), cause);
    }
}
