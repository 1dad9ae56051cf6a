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
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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

/** {@code accel stats}: what the accelerated JVMs of this user do, for root those of all users. */
@Command(
        name = "stats",
        description = {
            "Show the accelerated JVMs of this user and their connections; for root those of all users.",
            "Shows again every second, in place on a terminal, until it is interrupted. "
                    + "Looking costs a process a few microseconds each time; not being looked at costs it nothing."
        },
        footer = {
            "",
            "Ends with 0; with 1 if a process that was named is not there, or does not answer, at once where none of those"
                    + " named is there any more; with 2 if these arguments make no sense."
        },
        mixinStandardHelpOptions = true)
final class StatsCommand implements Callable<Integer> {
    private static final String HOME = "\033[H";
    private static final String ERASE_LINE = "\033[K";
    private static final String ERASE_BELOW = "\033[J";
    private static final int LEAST_WIDTH = 20;
    private static final int LEAST_ROWS = 4;

    @Parameters(paramLabel = "PID", description = "Only these processes.")
    private List<String> named = List.of();

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

    @Option(
            names = {"-s", "--sort"},
            paramLabel = "KEY",
            defaultValue = "age",
            description =
                    "Which connections come first: ${COMPLETION-CANDIDATES}. rate is by the bytes since the last look. "
                            + "Default: ${DEFAULT-VALUE}.")
    private ConnectionOrder order;

    @Option(
            names = "--width",
            paramLabel = "N",
            description = "Of a line, " + LEAST_WIDTH + " characters at least; columns that do not fit are left out. "
                    + "Default: COLUMNS, or that of the terminal, else as much as it takes.")
    private Integer width;

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Of the screen, " + LEAST_ROWS
                    + " at least, the last of which stays free; what does not fit is counted. "
                    + "Default, without --once: LINES, or those of the terminal, else as many as it takes.")
    private Integer rows;

    @Spec
    private CommandSpec spec;

    private final Set<Long> pids = new LinkedHashSet<>();
    private final Map<Path, ObservedProcess> open = new LinkedHashMap<>();
    private final Map<Path, ProcessSample> last = new LinkedHashMap<>();
    /** Processes that were named and have been seen. */
    private final Set<Long> known = new HashSet<>();
    /** What this look has to complain of. */
    private final Set<String> complaints = new LinkedHashSet<>();
    /** What has been complained of already, and still holds. */
    private final Set<String> told = new HashSet<>();

    private boolean failed;

    @Override
    public Integer call() throws IOException, InterruptedException {
        for (String pid : named) {
            check(pid.matches("\\d{1,18}"), "'" + pid + "' is not a process id");
            pids.add(Long.parseLong(pid));
        }
        check(interval >= 0.01 && interval <= 86_400, "--interval must be from 0.01 to 86400 seconds");
        check(width == null || width >= LEAST_WIDTH, "--width must be at least " + LEAST_WIDTH);
        check(rows == null || rows >= LEAST_ROWS, "--rows must be at least " + LEAST_ROWS);
        check(Files.isDirectory(dir()), "there is no directory " + dir() + "; --dir names the processes' shm.dir");
        check(
                Files.isReadable(dir()),
                dir() + " cannot be read by this user; run this as the processes' user, or as root");
        try {
            boolean inPlace = !once && !json && Terminal.isThere();
            if (once && deltas) {
                look();
                pause();
            }
            while (true) {
                List<Seen> processes = look();
                boolean isOver = once || (!pids.isEmpty() && processes.isEmpty() && open.isEmpty());
                show(processes, inPlace && !isOver);
                if (isOver) {
                    return failed ? ExitStatus.FAILED : ExitStatus.OK;
                }
                pause();
            }
        } finally {
            for (ObservedProcess process : open.values()) {
                process.close();
            }
        }
    }

    private void check(boolean isRight, String message) {
        if (!isRight) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    private void pause() throws InterruptedException {
        Thread.sleep((long) (interval * 1_000));
    }

    private void show(List<Seen> processes, boolean inPlace) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (!inPlace) {
            complain();
        }
        if (json) {
            out.println(StatsJson.of(processes));
        } else if (!processes.isEmpty() || complaints.isEmpty()) {
            print(processes, inPlace);
        }
        out.flush();
    }

    private void print(List<Seen> processes, boolean inPlace) throws IOException {
        Terminal terminal = Terminal.isThere() && (width == null || rows == null)
                ? Terminal.size()
                : new Terminal(StatsScreen.UNLIMITED, StatsScreen.UNLIMITED);
        int most = rows != null ? rows : once ? StatsScreen.UNLIMITED : terminal.rows();
        List<String> lines = new ArrayList<>(inPlace ? complaints : Set.of());
        int free = most == StatsScreen.UNLIMITED ? most : most - 1 - lines.size();
        lines.addAll(new StatsScreen(width != null ? width : terminal.width(), free).lines(processes));
        if (processes.isEmpty() && complaints.isEmpty()) {
            lines.add("No accelerated JVM" + ofThisUser() + " in " + dir() + ".");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (inPlace) {
            out.print(HOME);
            lines.forEach(line -> out.print(line + ERASE_LINE + "\n"));
            out.print(ERASE_BELOW);
        } else {
            lines.forEach(out::println);
        }
    }

    /** Each complaint once, for as long as its cause stays. */
    private void complain() {
        told.retainAll(complaints);
        for (String complaint : complaints) {
            if (told.add(complaint)) {
                spec.commandLine().getErr().println("accel stats: " + complaint);
            }
        }
    }

    /** Takes a sample of each process that is there. */
    private List<Seen> look() throws IOException {
        complaints.clear();
        openNewOnes();
        List<Seen> processes = new ArrayList<>();
        Set<Long> missing = new LinkedHashSet<>(pids);
        for (ObservedProcess process : List.copyOf(open.values())) {
            Path directory = process.directory();
            try {
                ProcessSample sample = process.sample();
                if (sample == null) {
                    open.remove(directory).close();
                    last.remove(directory);
                    continue;
                }
                ProcessSample earlier = last.put(directory, sample);
                ProcessSample sorted = order.sort(sample, earlier);
                processes.add(new Seen(process.user(), deltas && earlier != null ? sorted.since(earlier) : sorted));
            } catch (IOException e) {
                failed = true;
                complaints.add(e.getMessage());
            }
            missing.remove(ObservedProcess.pidOf(directory));
            known.add(ObservedProcess.pidOf(directory));
        }
        for (long pid : missing) {
            complainOf(pid);
        }
        processes.sort(Comparator.comparingLong(seen -> seen.sample().startedMillis()));
        return processes;
    }

    private void complainOf(long pid) throws IOException {
        failed = true;
        if (known.contains(pid)) {
            complaints.add("process " + pid + " has ended");
        } else {
            complaints.add("no accelerated JVM" + ofThisUser() + " with process id " + pid + " in " + dir()
                    + ": it has opened no channel yet, runs with stats=false, or has another shm.dir (see --dir)");
        }
    }

    private static String ofThisUser() throws IOException {
        return ObservedProcess.seesAllUsers() ? "" : " of this user";
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
                    failed = true;
                    complaints.add(directory.getFileName() + ": " + e.getMessage());
                }
            }
        }
    }

    private Path dir() {
        if (dir == null) {
            dir = Profile.fromSystem().get(Keys.SHM_DIR);
        }
        return dir;
    }
}
