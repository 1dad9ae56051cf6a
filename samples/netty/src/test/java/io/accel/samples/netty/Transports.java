// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.accel.netty.AccelSocketChannel;
import io.netty.channel.Channel;

/** Helpers of the tests for transports. */
final class Transports {
    private Transports() {}

    /** Skips the test where the kernel or the platform does not have the transport. */
    static void assumeAvailable(Transport transport) {
        assumeThat(transport.unavailabilityCause())
                .as("why there is no %s here", transport)
                .isNull();
    }

    /** The path of a channel's bytes: the kernel's, except for Accel's channels. */
    static String pathOf(Channel channel) {
        return channel instanceof AccelSocketChannel accel ? accel.path().path() : "kernel";
    }
}
