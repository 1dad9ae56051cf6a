// SPDX-License-Identifier: Apache-2.0
package io.accel.core.runtime;

import io.accel.core.daemon.DeferredStart;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.shm.SharedDirectory;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.StatsService;
import io.accel.core.observe.metrics.MetricsExport;
import io.accel.core.socket.Captures;
import io.accel.core.socket.SharedMemoryCap;
import io.accel.profile.FabricName;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.File;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a process has beside its connections: the line in its log, its metrics, and the answers to {@code accel stats} and {@code accel
 * capture}. They start when the process is not {@linkplain DeferredStart young} any more, off the program's threads, and in a program that is
 * over by then not at all.
 */
final class Services implements Runnable, Consumer<Logger> {
    private final AccelRuntime runtime;

    private Services(AccelRuntime runtime) {
        this.runtime = runtime;
    }

    /**
     * Starts them later.
     *
     * @param runtime Accel in this process
     */
    static void startLater(AccelRuntime runtime) {
        Services services = new Services(runtime);
        if (runtime.isOn()) {
            DeferredStart.stayYoungWhile(new NoTimeToSpare());
        }
        if (!runtime.hasOnlyPreset()) {
            DeferredStart.want(); // it may be about metrics, or a log
        }
        Log.of("io.accel").later(services);
        if (!DeferredStart.defer(services)) {
            services.run();
        }
    }

    @Override
    public void run() {
        Beginning.of(runtime.profile(), runtime.isOn());
    }

    /** Says the line about Accel's start. */
    @Override
    public void accept(Logger logger) {
        Beginning.say(logger, runtime.profile(), runtime.isOn());
    }

    /** What is done then. A class of its own, since this one is loaded when a process starts. */
    private static final class Beginning {
        private Beginning() {}

        static void of(Profile profile, boolean on) {
            String metrics = profile.get(Keys.METRICS);
            if (!metrics.isBlank()) {
                MetricsExport.start(metrics);
            }
            if (on) {
                MemoryUse.cap(SharedMemoryCap.of(profile));
                if (profile.get(Keys.STATS)) {
                    StatsService.start(profile.get(Keys.SHM_DIR), profile.name(), Captures.get());
                }
            }
        }

        static void say(Logger logger, Profile profile, boolean on) {
            logger.log(Level.INFO, line(profile, on));
            if (on && profile.get(Keys.FABRIC_ORDER).contains(FabricName.SHM)) {
                for (String mistake : mistakes(profile.get(Keys.SHM_DIR))) {
                    logger.log(Level.WARNING, "accel: " + mistake);
                }
            }
        }

        /** The line, with Accel's rights: it may be said by a thread of the program that is about to log something else. */
        private static String line(Profile profile, boolean on) {
            return Privileged.get(() -> StartLine.of(profile, on, new File("/sys/class/infiniband")));
        }

        /** The faults of the directory of shared memory that let it work. */
        private static List<String> mistakes(Path dir) {
            try {
                return Privileged.call(() -> SharedDirectory.mistakes(dir));
            } catch (IOException e) {
                return List.of(); // each connection that needs the directory reports its fault
            }
        }
    }
}
