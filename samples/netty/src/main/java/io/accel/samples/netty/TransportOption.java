// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import picocli.CommandLine.Option;

/** {@code --transport}. */
final class TransportOption {
    @Option(
            names = "--transport",
            paramLabel = "NAME",
            defaultValue = "accel",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}); not unix, whose addresses are paths.")
    Transport transport;
}
