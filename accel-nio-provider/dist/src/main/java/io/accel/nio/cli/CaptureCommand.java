// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.core.observe.CaptureRequest;
import io.accel.core.observe.ObservedProcess;
import io.accel.core.observe.RemoteCapture;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code accel capture}: writes the traffic of a process's accelerated paths as packets into a file. */
@Command(
        name = "capture",
        description = {
            "Write the traffic of a running JVM's accelerated connections and datagram channels to a file, as TCP and UDP packets that "
                    + "Wireshark and tshark open.",
            "The JVM must be this user's; root may capture any. It logs that it is captured. Every byte, and every datagram, that it sends "
                    + "or receives over an accelerated path during the capture is in the file once. Traffic through the kernel is "
                    + "for tcpdump to capture, and is missing here like a lost segment. So are packets for which there is no room until "
                    + "they can be written; their number is printed at the end, and is in the file.",
            "The headers are made for the file: sequence numbers count the bytes of the stream, and TCP packets are the writes "
                    + "and reads of the program. A UDP packet is a datagram that the program has sent or received. "
                    + "A Unix-domain stream is shown as TCP at port 1, between addresses that stand for its file and for itself. A "
                    + "capture costs the JVM a copy of each byte; without a capture there is no measurable cost."
        },
        footer = {
            "",
            "Exit status: 0; 1 if there is no such JVM, it is being captured already, it does not answer any more, or the file "
                    + "cannot be written; 2 if these arguments make no sense. After Ctrl-C the file is complete as well."
        },
        mixinStandardHelpOptions = true)
final class CaptureCommand implements Callable<Integer> {
    private static final int MOST_PORT = 65_535;
    /** How long Ctrl-C waits for the packets captured so far. */
    private static final long LINGER_SECONDS = 10;

    @Parameters(
            paramLabel = "PID",
            arity = "0..1",
            description = "The process. Default: the accelerated JVM, if there is only one.")
    private Long pid;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Only connections and datagrams with this port at either end. May be given several times.")
    private List<Integer> ports = List.of();

    @Option(
            names = {"-c", "--count"},
            paramLabel = "COUNT",
            description = "End after so many packets.")
    private Long count;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "End after so many seconds. Default: go on until Ctrl-C.")
    private Integer seconds;

    @Option(
            names = {"-w", "--write"},
            paramLabel = "FILE",
            required = true,
            description = "The file, in the format pcapng. It must not exist yet; only this user may read it.")
    private Path file;

    @Option(
            names = "--dir",
            paramLabel = "DIRECTORY",
            description = "The process's shm.dir. Default: the directory of the default profile, or -Daccel.shm.dir.")
    private Path dir;

    @Spec
    private CommandSpec spec;

    private final CountDownLatch over = new CountDownLatch(1);

    @Override
    public Integer call() throws IOException {
        check(ports.stream().allMatch(port -> port >= 1 && port <= MOST_PORT), "--port must be from 1 to " + MOST_PORT);
        check(ports.size() <= CaptureRequest.MOST_PORTS, "there may be " + CaptureRequest.MOST_PORTS + " ports");
        check(count == null || count >= 1, "--count must be at least 1");
        check(seconds == null || seconds >= 1, "--seconds must be at least 1");
        if (dir == null) {
            dir = Profile.fromSystem().get(Keys.SHM_DIR);
        }
        check(Files.isDirectory(dir), "there is no directory " + dir + "; --dir names the process's shm.dir");
        List<Path> found = found();
        check(found.size() <= 1, "there are several accelerated JVMs; name one of " + pidsOf(found));
        CaptureRequest request =
                new CaptureRequest(new TreeSet<>(ports), count == null ? 0 : count, seconds == null ? 0 : seconds);
        for (Path each : found) {
            try (RemoteCapture capture = RemoteCapture.begin(each, request)) {
                if (capture != null) {
                    return take(capture);
                }
            } catch (FileAlreadyExistsException e) {
                return failed(file + " exists already");
            } catch (NoSuchFileException e) {
                return failed(file + " cannot be written: there is no such directory");
            } catch (AccessDeniedException e) {
                return failed(file + " cannot be written: permission denied");
            } catch (IOException e) {
                return failed(e.getMessage());
            } finally {
                over.countDown();
            }
        }
        return failed("no accelerated JVM" + (pid == null ? "" : " with process id " + pid) + " in " + dir
                + " that this user may capture; see 'accel stats'");
    }

    /** Returns the wanted processes that are alive. */
    private List<Path> found() throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path each : ObservedProcess.find(dir)) {
            if (pid == null || ObservedProcess.pidOf(each) == pid) {
                try (ObservedProcess process = ObservedProcess.open(each)) {
                    if (process != null) {
                        found.add(each);
                    }
                }
            }
        }
        return found;
    }

    private static List<Long> pidsOf(List<Path> found) {
        return found.stream().map(ObservedProcess::pidOf).sorted().toList();
    }

    private int take(RemoteCapture capture) throws IOException {
        ByteBuffer part = capture.next(); // before the file is made, since the capture may be refused
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(capture), "accel-capture-stop"));
        try (FileChannel out = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            say("writing to " + file);
            for (; part != null; part = capture.next()) {
                append(out, part);
            }
        }
        long dropped = capture.totals().dropped();
        say(capture.totals().kept() + " packets"
                + (dropped == 0 ? "" : ", and " + dropped + " dropped because writing was too slow"));
        return ExitStatus.OK;
    }

    /** Appends a part of whole blocks. The file keeps whole blocks even if the disk gets full. */
    private static void append(FileChannel out, ByteBuffer part) throws IOException {
        long whole = out.position();
        try {
            while (part.hasRemaining()) {
                int unused = out.write(part);
            }
        } catch (IOException e) {
            out.truncate(whole);
            throw e;
        }
    }

    /** Called on Ctrl-C: takes the packets captured so far, and the end. */
    private void stop(RemoteCapture capture) {
        if (over.getCount() == 0) {
            return;
        }
        try {
            capture.stop();
            if (!over.await(LINGER_SECONDS, TimeUnit.SECONDS)) {
                say("gave up waiting for the end; the file is complete up to here");
            }
        } catch (IOException e) {
            say("the capture has ended: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int failed(String why) {
        say(why);
        return ExitStatus.FAILED;
    }

    private void say(String what) {
        spec.commandLine().getErr().println("accel capture: " + what);
    }

    private void check(boolean isRight, String message) {
        if (!isRight) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }
}
