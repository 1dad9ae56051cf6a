// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs this program's command line in the RDMA lab: the repository's two guests, each with a device made of software. */
public final class Lab {
    private static final String IN_REPOSITORY = "samples/lab/lab";

    /** As samples/lab/lab has it. */
    private static final String OTHER_HOST = "10.78.0.2";

    /** Nothing but the other guest reaches it: their network is a cable between the two. */
    private static final String SHELL_PORT = "7979";

    private final Path script;

    private Lab(Path script) {
        this.script = script;
    }

    /** The lab of the repository that this program was built in. */
    public static Lab find() throws IOException {
        for (Path above = JvmCommand.locationOf(Lab.class); above != null; above = above.getParent()) {
            Path candidate = above.resolve(IN_REPOSITORY);
            if (Files.isExecutable(candidate)) {
                return new Lab(candidate);
            }
        }
        throw new IOException("this machine has no RDMA device with an address, and " + IN_REPOSITORY
                + ", which makes a machine with a device, does not exist");
    }

    /**
     * Runs it on one guest, with the other as its peer, and returns its exit status.
     *
     * @param files the files that it has to write, by their options
     * @param limit how long it may take, the guests' boot included
     */
    public int run(List<String> arguments, Map<String, Path> files, Duration limit)
            throws IOException, InterruptedException {
        Path shared = Files.createTempDirectory("accel-perf-");
        // The lab ends with this JVM, however that ends.
        List<String> command = new ArrayList<>(List.of("setpriv", "--pdeathsig", "TERM", script.toString()));
        command.addAll(List.of("--timeout", Long.toString(limit.toSeconds()), "--share", shared.toString()));
        command.addAll(List.of("--hosts", "2", "--peer", "exec busybox nc -ll -p " + SHELL_PORT + " -e sh", "--"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // This JVM measures nothing itself, and should be out of the way.
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-jar", JvmCommand.locationOf(Lab.class).toString()));
        command.addAll(arguments);
        command.addAll(List.of("--peer", "busybox nc " + OTHER_HOST + ' ' + SHELL_PORT, "--peer-address", OTHER_HOST));
        files.keySet()
                .forEach(option ->
                        command.addAll(List.of(option, inside(shared, option).toString())));
        Process lab = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            int status = lab.waitFor();
            for (Map.Entry<String, Path> file : files.entrySet()) {
                Path written = inside(shared, file.getKey());
                if (Files.exists(written)) {
                    Files.writeString(file.getValue(), Files.readString(written));
                }
            }
            return status;
        } finally {
            lab.destroy();
            lab.waitFor();
            delete(shared);
        }
    }

    private static Path inside(Path shared, String option) {
        return shared.resolve(option.substring(2));
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
