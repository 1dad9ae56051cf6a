// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipFile;

/**
 * Samples the stacks of JVMs with async-profiler: each thread once for each millisecond of processor time that it has used,
 * native code and system calls included. The profiler needs no rights for that (its event is {@code ctimer}), and stays in a
 * process until that ends. Used by one thread.
 *
 * @see <a href="https://github.com/async-profiler/async-profiler">async-profiler</a>
 */
final class CpuSampler implements AutoCloseable {
    private static final String START = "start,event=ctimer,interval=1ms";
    private static final String STOP = "stop,collapsed,file=";

    private final WorkingDirectory directory;
    private final Path library;

    private CpuSampler(WorkingDirectory directory, Path library) {
        this.directory = directory;
        this.library = library;
    }

    /** @param libraries the file in which the build lists the places of libraries, including the profiler's */
    static CpuSampler of(Path libraries) throws IOException {
        String jar = List.of(Files.readString(libraries).strip().split(File.pathSeparator, -1)).stream()
                .filter(path -> path.contains("async-profiler"))
                .findFirst()
                .orElseThrow(() -> new IOException("there is no async-profiler in " + libraries));
        String member =
                "linux-" + (System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64") + "/libasyncProfiler.so";
        WorkingDirectory directory = WorkingDirectory.create("accel-stacks-");
        Path library = directory.path().resolve("libasyncProfiler.so");
        try (ZipFile zip = new ZipFile(jar);
                InputStream in = zip.getInputStream(zip.getEntry(member))) {
            Files.copy(in, library);
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw e;
        }
        return new CpuSampler(directory, library);
    }

    /** Begins to sample the process. */
    void start(long pid) throws IOException {
        command(pid, START);
    }

    /** Ends it. Returns a line for each stack: its frames with semicolons between them, and the number of its samples. */
    List<String> stop(long pid) throws IOException {
        Path stacks = directory.path().resolve(String.format(Locale.ROOT, "%d.collapsed", pid));
        command(pid, STOP + stacks);
        return Files.readAllLines(stacks);
    }

    private void command(long pid, String arguments) throws IOException {
        VirtualMachine jvm = null;
        try {
            jvm = VirtualMachine.attach(Long.toString(pid));
            jvm.loadAgentPath(library.toString(), arguments);
        } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException e) {
            throw new IOException(
                    "async-profiler cannot be told to '" + arguments + "' in process " + pid + ": " + e, e);
        } finally {
            if (jvm != null) {
                jvm.detach();
            }
        }
    }

    @Override
    public void close() throws IOException {
        directory.close();
    }
}
