// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** Runs the command line inside the test's JVM and keeps what it printed. */
record CommandLineRunner(int status, String out, String err) {
    static CommandLineRunner accel(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commandLine = AccelMain.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        int status = commandLine.execute(args);
        return new CommandLineRunner(status, out.toString(), err.toString());
    }
}
