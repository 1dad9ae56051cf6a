// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The kernel's information about processes and connections, read from {@code /proc}. Stateless. */
public final class ProcFs {
    private static final String ESTABLISHED = "01";
    private static final String LISTENING = "0A";
    // The columns of /proc/net/tcp.
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int INODE = 9;
    // The kernel's USER_HZ, which is 100 on every architecture that Java runs on.
    private static final long TICKS_A_SECOND = 100;

    private ProcFs() {}

    /** How many file descriptors of each kind the process has open, such as {@code socket}; files by their names. */
    public static Map<String, Long> openFiles(long pid) {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return descriptors
                    .map(ProcFs::target)
                    .flatMap(Optional::stream)
                    .map(target -> target.replaceFirst("(socket|pipe):.*", "$1"))
                    .collect(Collectors.groupingBy(kind -> kind, TreeMap::new, Collectors.counting()));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list the descriptors of process " + pid, e);
        }
    }

    private static Optional<String> target(Path descriptor) {
        try {
            return Optional.of(Files.readSymbolicLink(descriptor).toString());
        } catch (IOException e) {
            return Optional.empty(); // closed meanwhile
        }
    }

    /** How many memory mappings the process has. */
    public static int mappings(long pid) {
        return lines(Path.of("/proc/" + pid + "/maps")).size();
    }

    /** How many of the process's memory mappings are of files in the directory, deleted ones included. */
    public static long mappingsOf(long pid, Path directory) {
        return lines(Path.of("/proc/" + pid + "/maps")).stream()
                .filter(line -> line.contains(" " + directory + "/"))
                .count();
    }

    /** The processor time that the process has used. */
    public static Duration processorTime(long pid) {
        String stat = lines(Path.of("/proc/" + pid + "/stat")).get(0);
        // The fields after the program's name, which may hold spaces and is in parentheses.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        return Duration.ofMillis(ticks * 1_000 / TICKS_A_SECOND);
    }

    /** How many established TCP connections of this network namespace have the port at the accepting end. */
    public static long kernelConnections(int port) {
        return tcp(LOCAL, port, ESTABLISHED::equals);
    }

    /**
     * How many connections over shared memory the process has that listens on the port, or has accepted connections there: each is a file
     * that it has mapped.
     *
     * @return 0 also if there is no such process, or if it ends meanwhile
     */
    public static long ringsAt(int port) {
        return ownersOf(port)
                .mapToLong(pid -> mapped(pid).stream()
                        .filter(line -> line.contains("/ring-"))
                        .map(line -> line.substring(line.indexOf('/')))
                        .distinct()
                        .count())
                .sum();
    }

    /** How many connections over shared memory a process and its children have: each is a file that one of them has mapped. */
    public static long ringsBelow(long pid) {
        return ringsBelow(pid, "/ring-");
    }

    /** Like {@link #ringsBelow(long)}, for connections to listeners on one port, which is in the names of their files' directories. */
    public static long ringsBelow(long pid, int port) {
        return ringsBelow(pid, "-" + port + "~");
    }

    private static long ringsBelow(long pid, String part) {
        Stream<ProcessHandle> below = ProcessHandle.of(pid).stream().flatMap(ProcessHandle::descendants);
        return Stream.concat(Stream.of(pid), below.map(ProcessHandle::pid))
                .flatMap(each -> mapped(each).stream())
                .filter(line -> line.contains("/ring-") && line.contains(part))
                .map(line -> line.substring(line.indexOf('/')))
                .distinct()
                .count();
    }

    private static List<String> mapped(long pid) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/maps"), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return List.of(); // ended meanwhile
        }
    }

    /** How many processes are in a network namespace, named as the link in {@code /proc} names it. */
    public static long processesIn(String namespace) {
        return ProcessHandle.allProcesses()
                .filter(each -> namespace.equals(networkOf(each.pid())))
                .count();
    }

    /** The network namespace of a process, as the link in {@code /proc} names it; empty if it has ended. */
    public static String networkOf(long pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/net")).toString();
        } catch (IOException e) {
            return "";
        }
    }

    /** The processes that have a listening or connected socket on the port. */
    private static Stream<Long> ownersOf(int port) {
        List<String> sockets = tcp().filter(fields -> fields[LOCAL].endsWith(hex(port))
                        && (fields[STATE].equals(LISTENING) || fields[STATE].equals(ESTABLISHED)))
                .map(fields -> "socket:[" + fields[INODE] + "]")
                .toList();
        return ProcessHandle.allProcesses().map(ProcessHandle::pid).filter(pid -> hasOpen(pid, sockets));
    }

    private static boolean hasOpen(long pid, List<String> files) {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return descriptors.anyMatch(descriptor -> {
                try {
                    return files.contains(Files.readSymbolicLink(descriptor).toString());
                } catch (IOException e) {
                    return false; // closed meanwhile
                }
            });
        } catch (IOException | UncheckedIOException e) {
            return false; // ended meanwhile, or another user's
        }
    }

    /** How many UDP datagrams the kernel has delivered in the process's network namespace, of all programs in it. */
    public static long kernelDatagrams(long pid) {
        List<List<String>> udp = lines(Path.of("/proc/" + pid + "/net/snmp")).stream()
                .filter(line -> line.startsWith("Udp: "))
                .map(line -> List.of(line.split(" ", -1)))
                .toList();
        return Long.parseLong(udp.get(1).get(udp.get(0).indexOf("InDatagrams")));
    }

    private static long tcp(int column, int port, Predicate<String> state) {
        return tcp().filter(fields -> fields[column].endsWith(hex(port)) && state.test(fields[STATE]))
                .map(fields -> fields[LOCAL] + fields[REMOTE] + fields[STATE])
                .distinct() // the kernel lists a socket twice if others come and go meanwhile
                .count();
    }

    private static String hex(int port) {
        return String.format(":%04X", port);
    }

    private static Stream<String[]> tcp() {
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .map(Path::of)
                .filter(Files::exists)
                .flatMap(file -> lines(file).stream().skip(1))
                .map(line -> line.trim().split("\\s+", -1));
    }

    /**
     * How many files, sockets and directories of connections and listeners are below the directory; not counted are the places of users,
     * which come and go with what is in them. The place at which a
     * process can be looked at is not counted: if it is killed, the next process that starts removes that. Files that
     * go during the look are not counted, either.
     */
    public static long filesBelow(Path directory) {
        try {
            return DirectoryContent.ofListeners(directory).stream()
                    .filter(path ->
                            !directory.relativize(path).getName(0).toString().startsWith("accel-stats"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot walk " + directory, e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new AssertionError("no " + file + ": the process has ended, or this is not Linux", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
