// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import io.accel.profile.Profile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Examines this machine and this process. Each check has a time limit, and a check that fails unexpectedly is a finding itself. */
public final class Doctor {
    /** The time limit of one check. A live one includes a handshake of {@link LiveChecks#HANDSHAKE}. */
    private static final int LIMIT_SECONDS = 60;

    private record Check(String name, Callable<List<Finding>> body) {}

    private final List<Check> checks = new ArrayList<>();

    /**
     * Creates a doctor that checks what a profile needs.
     *
     * @param profile the profile in force
     */
    public Doctor(Profile profile) {
        this(profile, Path.of("/"));
    }

    /** Creates a doctor with the system's files below another directory, for tests. */
    Doctor(Profile profile, Path root) {
        SystemFiles files = new SystemFiles(root);
        add("java", () -> JavaChecks.run(profile));
        add("shm.dir", () -> SharedMemoryChecks.directory(profile));
        add("shm.live", () -> LiveChecks.sharedMemory(profile));
        add("memory.huge-pages", () -> MemoryChecks.hugePages(files));
        add("container", new ContainerChecks(profile, files)::run);
        RdmaChecks rdma = new RdmaChecks(profile, files);
        add("rdma", rdma::run);
    }

    private void add(String name, Callable<List<Finding>> body) {
        checks.add(new Check(name, body));
    }

    /**
     * Runs all checks, one after the other.
     *
     * @return the findings, after at most a minute for each check
     */
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        for (Check check : checks) {
            findings.addAll(run(check));
        }
        return findings;
    }

    private static List<Finding> run(Check check) {
        FutureTask<List<Finding>> task = new FutureTask<>(check.body());
        Thread thread = new Thread(task, "accel-doctor-" + check.name());
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return List.of(Finding.fail(
                    check.name(),
                    "no result within " + LIMIT_SECONDS + " s",
                    "find out what this process waits for: jstack "
                            + ProcessHandle.current().pid()));
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return List.of(Finding.fail(
                    check.name(),
                    "the check itself failed: " + cause,
                    "report it to Accel's maintainers, with this line"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of(Finding.fail(check.name(), "interrupted", null));
        }
    }
}
