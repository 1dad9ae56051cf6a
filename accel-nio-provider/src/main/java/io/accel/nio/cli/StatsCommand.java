package io.accel.nio.cli;

import io.accel.core.observe.ObservedProcess;
import io.accel.core.observe.ProcessSample;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code accel stats}: what the accelerated JVMs of this user do. */
@Command(
        name = "stats",
        description = {
            "Show the accelerated JVMs of this user and their connections.",
            "Shows again every second, in place on a terminal, until it is interrupted. "
                    + "Looking costs a process a few microseconds each time; not being looked at costs it nothing."
        },
        footer = {
            "",
            "Ends with 0; with 1 if a process that was named is not there, or does not answer; at once where none of"
                    + " those named is there any more."
        },
        mixinStandardHelpOptions = true)
final class StatsCommand implements Callable<Integer> {
    private static final String CLEAR = "\033[H\033[2J\033[3J";

    @Parameters(paramLabel = "PID", description = "Only these processes.")
    private List<Long> pids = List.of();

    @Option(names = "--once", description = "Show once and end.")
    private boolean once;

    @Option(names = "--json", description = "A JSON document in a line, each time.")
    private boolean json;

    @Option(
            names = {"-d", "--deltas"},
            description = "What happened since the last time, not since the beginning. With --once: in one interval.")
    private boolean deltas;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "How often to look. Default: ${DEFAULT-VALUE}.")
    private double interval;

    @Option(
            names = "--dir",
            paramLabel = "DIRECTORY",
            description = "The processes' shm.dir. Default: that of the default profile, or -Daccel.shm.dir.")
    private Path dir;

    @Spec
    private CommandSpec spec;

    private final Map<Path, ObservedProcess> open = new LinkedHashMap<>();
    private final Map<Path, ProcessSample> last = new LinkedHashMap<>();
    /** Those that were named, are not there, and of which that was said. */
    private final Set<Long> told = new HashSet<>();

    private boolean failed;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!(interval >= 0.01 && interval <= 86_400)) {
            throw new ParameterException(spec.commandLine(), "--interval must be from 0.01 to 86400 seconds");
        }
        if (!Files.isDirectory(dir())) {
            throw new ParameterException(
                    spec.commandLine(), "there is no directory " + dir() + "; --dir names the processes' shm.dir");
        }
        try {
            boolean inPlace = !once && !json && isTerminal();
            if (once && deltas) {
                look();
                Thread.sleep((long) (interval * 1_000));
            }
            while (true) {
                failed = false;
                List<ProcessSample> samples = look();
                PrintWriter out = spec.commandLine().getOut();
                if (inPlace) {
                    out.print(CLEAR);
                }
                print(samples, out);
                out.flush();
                if (once || (!pids.isEmpty() && open.isEmpty())) {
                    return failed ? ExitStatus.FAILED : ExitStatus.OK;
                }
                Thread.sleep((long) (interval * 1_000));
            }
        } finally {
            for (ObservedProcess process : open.values()) {
                process.close();
            }
        }
    }

    private void print(List<ProcessSample> samples, PrintWriter out) throws IOException {
        if (json) {
            out.println(StatsJson.of(samples));
        } else if (samples.isEmpty() && !failed) {
            out.println("No accelerated JVM of this user in " + dir() + ".");
        } else {
            StatsTable table = new StatsTable(out);
            samples.forEach(table::print);
        }
    }

    /** Takes a sample of each process that is there. */
    private List<ProcessSample> look() throws IOException {
        openNewOnes();
        List<ProcessSample> samples = new ArrayList<>();
        List<Long> missing = new ArrayList<>(pids);
        for (ObservedProcess process : List.copyOf(open.values())) {
            try {
                ProcessSample sample = process.sample();
                if (sample == null) {
                    open.remove(process.directory()).close();
                    last.remove(process.directory());
                } else {
                    missing.remove(sample.pid());
                    ProcessSample earlier = last.put(process.directory(), sample);
                    samples.add(deltas && earlier != null ? sample.since(earlier) : sample);
                }
            } catch (IOException e) {
                complain(e.getMessage());
            }
        }
        for (long pid : missing) {
            failed = true;
            if (told.add(pid)) {
                complain("no accelerated JVM of this user with process id " + pid + " in " + dir()
                        + ": it has ended, has opened no channel yet, runs with stats=false, or has another shm.dir"
                        + " (see --dir)");
            }
        }
        return samples;
    }

    private void openNewOnes() throws IOException {
        for (Path directory : ObservedProcess.find(dir())) {
            boolean isWanted = pids.isEmpty() || pids.contains(ObservedProcess.pidOf(directory));
            if (isWanted && !open.containsKey(directory)) {
                try {
                    ObservedProcess process = ObservedProcess.open(directory);
                    if (process != null) {
                        open.put(directory, process);
                    }
                } catch (IOException e) {
                    complain(directory.getFileName() + ": " + e.getMessage());
                }
            }
        }
    }

    private void complain(String message) {
        failed = true;
        spec.commandLine().getErr().println("accel stats: " + message);
    }

    private static boolean isTerminal() {
        try {
            String output = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return output.startsWith("/dev/pts/") || output.startsWith("/dev/tty");
        } catch (IOException e) {
            return false; // then one after the other
        }
    }

    private Path dir() {
        if (dir == null) {
            dir = Profile.fromSystem().get(Keys.SHM_DIR);
        }
        return dir;
    }
}
