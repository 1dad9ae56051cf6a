// SPDX-License-Identifier: Apache-2.0
package io.accel.core.runtime;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.shm.SharedDirectory;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.StatsService;
import io.accel.core.observe.metrics.MetricsExport;
import io.accel.core.socket.Accelerator;
import io.accel.core.socket.Captures;
import io.accel.core.socket.SharedMemoryCap;
import io.accel.profile.FabricName;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import io.accel.profile.ProfileException;
import java.io.File;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;

/**
 * Accel in this process: the profile that the system properties and the environment name, its metrics, and the
 * services behind {@code accel stats} and {@code accel capture}. It starts with the first adapter that asks for it,
 * which the log records in a line, and later callers get the same. Thread-safe.
 */
public final class AccelRuntime {
    private static volatile AccelRuntime started; // written once, under the class's monitor
    private static boolean mistakeSaid; // under the class's monitor

    private final Accelerator accelerator;

    private AccelRuntime(Profile profile) {
        this.accelerator = new Accelerator(profile);
        String line = StartLine.of(profile, accelerator.isOn(), new File("/sys/class/infiniband"));
        boolean usesMemory =
                accelerator.isOn() && profile.get(Keys.FABRIC_ORDER).contains(FabricName.SHM);
        Path dir = profile.get(Keys.SHM_DIR);
        Log.of("io.accel").later(Level.INFO, line, () -> usesMemory ? mistakes(dir) : List.of());
        MemoryUse.cap(SharedMemoryCap.of(profile));
        String metrics = profile.get(Keys.METRICS);
        if (!metrics.isBlank()) { // mostly there are none, and so no class for them
            MetricsExport.start(metrics);
        }
        if (accelerator.isOn() && profile.get(Keys.STATS)) {
            StatsService.start(profile.get(Keys.SHM_DIR), profile.name(), Captures.get());
        }
    }

    /** The faults of the directory of shared memory that let it work. */
    private static List<String> mistakes(Path dir) {
        return Privileged.get(() -> {
            try {
                return SharedDirectory.mistakes(dir).stream()
                        .map(mistake -> "accel: " + mistake)
                        .toList();
            } catch (IOException e) {
                return List.of(); // each connection that needs the directory reports its fault
            }
        });
    }

    /**
     * Returns the runtime of this process, started if it is not yet.
     *
     * @throws ProfileException if the profile has a mistake; the message tells all mistakes, each time
     */
    public static AccelRuntime get() {
        AccelRuntime running = started;
        return running != null ? running : start();
    }

    private static AccelRuntime start() {
        // The thread that waits here may be making the JVM's provider of channels, which a log may need.
        Log.holdUntilStarted();
        synchronized (AccelRuntime.class) {
            if (started == null) {
                started = Privileged.get(() -> new AccelRuntime(profile()));
            }
            return started;
        }
    }

    /**
     * The JVM wraps the exceptions of its provider, and later throws one that names no cause; so this logs the mistake
     * by itself.
     */
    private static Profile profile() {
        try {
            return Profile.fromSystem();
        } catch (ProfileException e) {
            if (!mistakeSaid) {
                mistakeSaid = true;
                e.getMessage().lines().forEach(line -> System.err.println("accel: " + line));
            }
            throw e;
        }
    }

    /** The accelerator of the profile at work. */
    public Accelerator accelerator() {
        return accelerator;
    }
}
