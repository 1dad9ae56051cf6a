// SPDX-License-Identifier: Apache-2.0
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

/** {@code accel stats}: shows what the accelerated JVMs of this user do, or those of all users for root. */
@Command(
        name = "stats",
        description = {
            "Show the accelerated JVMs of this user and their connections; for root the JVMs of all users.",
            "Refreshes every second, in place on a terminal, until it is interrupted. On a terminal the arrow keys, page up and down, home"
                    + " and end scroll; s takes the next sort key, d switches --deltas, q quits. "
                    + "Each look costs a process a few microseconds; a process that nobody looks at pays nothing."
        },
        footer = {
            "",
            "Exit status: 0; 1 if a named process does not exist, or does not answer, at once when none of the"
                    + " named processes exists any more; 2 if these arguments make no sense."
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

    @Option(names = "--json", description = "Print a JSON document in one line, each time.")
    private boolean json;

    @Option(
            names = {"-d", "--deltas"},
            description =
                    "Show changes since the last look, not since the beginning. With --once: within one interval.")
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
            description = "The processes' shm.dir. Default: the directory of the default profile, or -Daccel.shm.dir.")
    private Path dir;

    @Option(
            names = {"-s", "--sort"},
            paramLabel = "KEY",
            defaultValue = "age",
            description = "The sort key: ${COMPLETION-CANDIDATES}. rate counts the bytes since the last look. "
                    + "Default: ${DEFAULT-VALUE}.")
    private ConnectionOrder order;

    @Option(
            names = "--width",
            paramLabel = "N",
            description = "The width of a line, at least " + LEAST_WIDTH
                    + " characters; columns that do not fit are left out. "
                    + "Default: COLUMNS, or the width of the terminal, else as much as it takes.")
    private Integer width;

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Of the screen, " + LEAST_ROWS
                    + " at least; the last of them stays free; connections that do not fit are counted. "
                    + "Default, without --once: LINES, or the rows of the terminal, else as many as it takes.")
    private Integer rows;

    @Spec
    private CommandSpec spec;

    private final Set<Long> pids = new LinkedHashSet<>();
    private final Map<Path, ObservedProcess> open = new LinkedHashMap<>();
    private final Map<Path, ProcessSample> last = new LinkedHashMap<>();

    /** The number of the first line on the screen; at 0 each process has its share of the screen instead. */
    private int top;

    /** The keyboard; null where there is none to scroll with. */
    private Keyboard keyboard;
    /** The processes that were named and have been seen. */
    private final Set<Long> known = new HashSet<>();
    /** The complaints of this look. */
    private final Set<String> complaints = new LinkedHashSet<>();
    /** The complaints that were printed already, and still hold. */
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
            keyboard = inPlace ? Keyboard.open() : null;
            if (once && deltas) {
                look();
                Thread.sleep(intervalMillis());
            }
            boolean isOver;
            do {
                List<Look> looks = look();
                isOver = once || (!pids.isEmpty() && looks.isEmpty() && open.isEmpty());
                show(view(looks), inPlace && !isOver);
                isOver = isOver || !awaitNext(looks);
            } while (!isOver);
            return failed ? ExitStatus.FAILED : ExitStatus.OK;
        } finally {
            if (keyboard != null) {
                keyboard.close();
            }
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

    private long intervalMillis() {
        return (long) (interval * 1_000);
    }

    /** Waits until it is time to look again, and acts on the keys meanwhile. Returns false if a key ends the command. */
    private boolean awaitNext(List<Look> looks) throws IOException, InterruptedException {
        if (keyboard == null) {
            Thread.sleep(intervalMillis());
            return true;
        }
        long deadline = System.nanoTime() + intervalMillis() * 1_000_000;
        while (true) {
            List<Key> keys = keyboard.await((deadline - System.nanoTime()) / 1_000_000);
            if (keys.isEmpty()) {
                return true;
            }
            for (Key key : keys) {
                if (key == Key.QUIT) {
                    return false;
                }
                act(key, view(looks));
            }
            show(view(looks), true);
        }
    }

    private void act(Key key, List<Seen> processes) {
        StatsScreen screen = screen(Terminal.size());
        int furthest = Math.max(0, screen.height(processes) - screen.rows());
        switch (key) {
            case UP -> top--;
            case DOWN -> top++;
            case PAGE_UP -> top -= screen.rows();
            case PAGE_DOWN -> top += screen.rows();
            case HOME -> top = 0;
            case END -> top = furthest;
            case SORT -> order = order.next();
            case DELTAS -> deltas = !deltas;
            case QUIT -> {}
        }
        top = Math.max(0, Math.min(top, furthest));
    }

    /** Returns the screen for samples in place, without the rows of the complaints and the last row. */
    private StatsScreen screen(Terminal terminal) {
        int most = rows != null ? rows : terminal.rows();
        return new StatsScreen(
                width != null ? width : terminal.width(),
                most == StatsScreen.UNLIMITED ? most : most - 1 - complaints.size());
    }

    private void show(List<Seen> processes, boolean inPlace) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (!inPlace) {
            complain();
        }
        if (json) {
            out.println(StatsJson.of(processes));
        } else if (inPlace) {
            printInPlace(processes);
        } else if (!processes.isEmpty() || complaints.isEmpty()) {
            print(processes);
        }
        out.flush();
    }

    private void print(List<Seen> processes) throws IOException {
        Terminal terminal = Terminal.isThere() && (width == null || rows == null)
                ? Terminal.size()
                : new Terminal(StatsScreen.UNLIMITED, StatsScreen.UNLIMITED);
        int most = rows != null ? rows : once ? StatsScreen.UNLIMITED : terminal.rows();
        int free = most == StatsScreen.UNLIMITED ? most : most - 1;
        List<String> lines =
                new ArrayList<>(new StatsScreen(width != null ? width : terminal.width(), free).lines(processes));
        addNobody(lines, processes);
        lines.forEach(spec.commandLine().getOut()::println);
    }

    private void printInPlace(List<Seen> processes) throws IOException {
        StatsScreen screen = screen(Terminal.size());
        List<String> lines = new ArrayList<>(complaints);
        int height = screen.height(processes);
        // There may be fewer lines than before.
        top = Math.max(0, Math.min(top, height - screen.rows()));
        lines.addAll(top == 0 ? screen.lines(processes) : screen.window(processes, top));
        addNobody(lines, processes);
        PrintWriter out = spec.commandLine().getOut();
        out.print(HOME);
        lines.forEach(line -> out.print(line + ERASE_LINE + "\n"));
        out.print(ERASE_BELOW);
        if (keyboard != null && screen.rows() != StatsScreen.UNLIMITED) {
            String status = "%s; arrows; s: %s; d: deltas %s; q: quit"
                    .formatted(
                            top == 0 ? height + " lines" : "line " + (top + 1) + " of " + height,
                            order,
                            deltas ? "on" : "off");
            out.print(status.substring(0, Math.min(status.length(), screen.width() - 1)) + ERASE_LINE);
        }
    }

    private void addNobody(List<String> lines, List<Seen> processes) throws IOException {
        if (processes.isEmpty() && complaints.isEmpty()) {
            lines.add("No accelerated JVM" + ofThisUser() + " in " + dir() + ".");
        }
    }

    /** Prints each complaint once, for as long as its cause stays. */
    private void complain() {
        told.retainAll(complaints);
        for (String complaint : complaints) {
            if (told.add(complaint)) {
                spec.commandLine().getErr().println("accel stats: " + complaint);
            }
        }
    }

    /**
     * The sample of one process.
     *
     * @param earlier the sample of the look before; null if there was none
     */
    private record Look(String user, ProcessSample sample, ProcessSample earlier) {}

    /** Returns the processes in the order in which they are shown. */
    private List<Seen> view(List<Look> looks) {
        return looks.stream()
                .map(look -> {
                    ProcessSample sorted = order.sort(look.sample(), look.earlier());
                    return new Seen(
                            look.user(), deltas && look.earlier() != null ? sorted.since(look.earlier()) : sorted);
                })
                .toList();
    }

    /** Takes a sample of each process. */
    private List<Look> look() throws IOException {
        complaints.clear();
        openNewOnes();
        List<Look> processes = new ArrayList<>();
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
                processes.add(new Look(process.user(), sample, last.put(directory, sample)));
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
        processes.sort(Comparator.comparingLong(look -> look.sample().startedMillis()));
        return processes;
    }

    private void complainOf(long pid) throws IOException {
        failed = true;
        if (known.contains(pid)) {
            complaints.add("process " + pid + " has ended");
        } else {
            complaints.add(
                    "no accelerated JVM" + ofThisUser() + " with process id " + pid + " in " + dir()
                            + ": it has opened no channel yet, or its first one less than ten seconds ago, runs with stats=false, or has another shm.dir (see --dir)");
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
