// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The kernel's own account of what a process has of RDMA devices, by the command {@code rdma resource}. */
public final class KernelResources {
    private static final Pattern PID = Pattern.compile(" pid (\\d+) ");

    private KernelResources() {}

    /** Queue pairs, completion queues, regions, domains and identifiers of this process, a line each. */
    public static String ofThisProcess() throws IOException, InterruptedException {
        StringBuilder left = new StringBuilder();
        for (String kind : new String[] {"qp", "cq", "mr", "pd", "cm_id"}) {
            Process process = new ProcessBuilder("rdma", "resource", "show", kind)
                    .redirectErrorStream(true)
                    .start();
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), US_ASCII))) {
                left.append(lines.lines()
                        .filter(KernelResources::isOurs)
                        .map(line -> kind + ": " + line + "\n")
                        .collect(Collectors.joining()));
            } finally {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
            }
        }
        return left.toString();
    }

    /** How many of each kind there are of each device, of all processes: a line for a device. A tenth of the time. */
    public static String summary() throws IOException, InterruptedException {
        Process process = new ProcessBuilder("rdma", "resource", "show")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), US_ASCII))) {
            return lines.lines().collect(Collectors.joining("\n"));
        } finally {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    /** What the kernel calls pid here is the number of the thread that created it. */
    private static boolean isOurs(String line) {
        Matcher pid = PID.matcher(line);
        return pid.find() && Files.exists(Path.of("/proc/self/task", pid.group(1)));
    }
}
