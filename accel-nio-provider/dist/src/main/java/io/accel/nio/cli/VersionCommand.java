// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.core.observe.BuildInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code accel version}: prints the version; also has the text of {@code accel --version}. */
@Command(
        name = "version",
        description = "Print Accel's version, and the Java and the system that it runs on.",
        mixinStandardHelpOptions = true)
final class VersionCommand implements Runnable, IVersionProvider {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().getOut().println(getVersion()[0]);
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            "accel %s (Java %s, %s %s %s)"
                    .formatted(
                            BuildInfo.version(),
                            Runtime.version(),
                            System.getProperty("os.name"),
                            System.getProperty("os.version"),
                            System.getProperty("os.arch"))
        };
    }
}
