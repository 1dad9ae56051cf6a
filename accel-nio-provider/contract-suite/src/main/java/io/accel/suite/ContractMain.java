// SPDX-License-Identifier: Apache-2.0
package io.accel.suite;

import io.accel.nio.contract.Path;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.platform.console.ConsoleLauncher;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * {@code ./accel contract}, which describes its options: runs tests of the suite on one path, in a JVM of their own, with JUnit's console.
 * Its exit status is 0 if all passed, 1 if one failed, 2 for wrong usage or if nothing was run.
 */
@Command(name = "contract")
public final class ContractMain implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--path")
    private Path path;

    @Option(names = "--profile")
    private String profile;

    @Option(names = "--handover")
    private String handover;

    @Option(names = "--run")
    private String run;

    @Option(names = "--java")
    private File java = new File(System.getProperty("java.home"));

    @Option(names = "--package")
    private List<String> packages = new ArrayList<>();

    @Parameters
    private List<String> tests = new ArrayList<>();

    private ContractMain() {}

    /**
     * Runs the tests.
     *
     * @param arguments as {@code ./accel contract --help} lists them
     */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new ContractMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((e, unused) -> {
                    System.err.println(
                            "accel contract: " + e.getMessage() + "; './accel contract --help' lists the options");
                    return CommandLine.ExitCode.USAGE;
                });
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Process child = new ProcessBuilder(command()).inheritIO().start();
        Runtime.getRuntime().addShutdownHook(new Thread(child::destroy));
        return child.waitFor();
    }

    /** The command that runs the chosen tests. */
    List<String> command() {
        List<String> command = new ArrayList<>();
        try {
            File program = new File(java, "bin/java");
            refuse(!program.canExecute(), "--java " + java + " is not a JDK: it has no bin/java");
            command.add(program.getPath());
            Run chosen = chosen();
            for (Map.Entry<String, String> each : chosen.properties().entrySet()) {
                command.add("-D" + each.getKey() + "=" + each.getValue());
            }
            command.add("-Djunit.jupiter.execution.timeout.default=60 s");
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), ConsoleLauncher.class.getName()));
            command.addAll(List.of("execute", "--disable-banner", "--details=tree", "--fail-if-no-tests"));
            if (!CommandLine.Help.Ansi.AUTO.enabled()) {
                command.add("--disable-ansi-colors");
            }
            command.addAll(selectors(chosen));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        return command;
    }

    private Run chosen() {
        if (run != null) {
            refuse(
                    path != null || profile != null || handover != null,
                    "--run has a path, a profile and a handover of its own");
            return Run.of(run);
        }
        Path on = path == null ? Path.SHM : path;
        refuse(on == Path.RDMA, "RDMA needs a device: samples/lab/contract runs the suite in the lab");
        refuse(on == Path.JDK && profile != null, "--profile is of Accel, not of the JDK's own provider");
        refuse(on != Path.SHM && handover != null, "--handover is for --path shm: nothing moves on another path");
        return new Run(on, profile, on == Path.SHM && handover == null ? Run.AT_CONNECT : handover, null);
    }

    private static void refuse(boolean isWrong, String why) {
        if (isWrong) {
            throw new IllegalArgumentException(why);
        }
    }

    private List<String> selectors(Run chosen) {
        SuiteTests suite = SuiteTests.find();
        List<String> selectors = new ArrayList<>();
        packages.forEach(each -> selectors.add(suite.packageSelector(each)));
        tests.forEach(each -> selectors.add(suite.selector(each)));
        if (selectors.isEmpty()) {
            selectors.add("--select-package=" + SuiteTests.ROOT);
        }
        if (chosen.tag() != null) {
            selectors.add("--include-tag=" + chosen.tag());
        }
        return selectors;
    }
}
