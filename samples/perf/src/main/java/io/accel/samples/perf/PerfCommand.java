// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import picocli.CommandLine.Command;

/** {@code perf}: the parent of the commands that measure. */
@Command(
        name = "perf",
        mixinStandardHelpOptions = true,
        subcommands = {CompareCommand.class, AppsCommand.class},
        description = "Measures programs with Accel and without; 'perf compare --young' the first seconds of new ones.")
public final class PerfCommand {}
