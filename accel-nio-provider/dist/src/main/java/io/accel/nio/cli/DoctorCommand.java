// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.nio.doctor.Doctor;
import io.accel.nio.doctor.Finding;
import io.accel.profile.Profile;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code accel doctor}: tells whether this machine can be accelerated, and if not, what to do. With {@code --json} it prints an object
 * of {@code status} (the worst of all) and {@code checks}, each with {@code check}, {@code status}, {@code found} and {@code advice}
 * (null if there is nothing to do). A status is {@code ok}, {@code warning} or {@code fail}.
 */
@Command(
        name = "doctor",
        description = "Check this machine for shared memory and RDMA, and say what to do if something is missing.",
        footer = {"", "Exit status: 0, or 1 if a check failed."},
        mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--profile",
            paramLabel = "NAME|FILE",
            description =
                    "The profile to check for. Default: the profile that the properties name, or the default preset.")
    private String profile;

    @Option(names = "--json", description = "Print a JSON object instead of lines.")
    private boolean json;

    @Override
    public Integer call() {
        Profile chosen = profile == null ? Profile.fromSystem() : Profile.load(profile, Map.of());
        List<Finding> findings = new Doctor(chosen).examine();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(FindingsJson.print(findings));
        } else {
            findings.forEach(finding -> print(out, finding));
        }
        return FindingsJson.worst(findings) == Finding.Status.FAIL ? ExitStatus.FAILED : ExitStatus.OK;
    }

    private static void print(PrintWriter out, Finding finding) {
        String status = finding.status().name().toLowerCase(Locale.ROOT);
        out.printf("%-8s %-18s %s%n", status, finding.check(), finding.found());
        if (finding.advice() != null) {
            out.printf("%-8s %-18s -> %s%n", "", "", finding.advice());
        }
    }
}
