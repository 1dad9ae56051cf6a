// SPDX-License-Identifier: Apache-2.0
package io.accel.core.runtime;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Privileged;
import io.accel.core.socket.Accelerator;
import io.accel.profile.Keys;
import io.accel.profile.Mode;
import io.accel.profile.PresetChoice;
import io.accel.profile.Profile;
import io.accel.profile.ProfileException;
import java.util.function.Supplier;

/**
 * Accel in this process: the profile that the system properties and the environment name, its metrics, and the
 * services behind {@code accel stats} and {@code accel capture}. It starts with the first adapter that asks for it,
 * and later callers get the same. Thread-safe.
 *
 * <p>What a program waits for here is its profile, so that a mistake there ends its start, and nothing else; a preset can have none, and is
 * read when it is needed. The {@link Services} start a moment later, and in profile {@code off} there is not even an {@link Accelerator} unless
 * somebody asks for it.
 */
public final class AccelRuntime {
    private static volatile AccelRuntime started; // written once, under the class's monitor
    private static boolean mistakeSaid; // under the class's monitor

    /** Null if more is chosen than a preset. */
    private final PresetChoice preset;
    /** Null as long as the preset is not read. Any thread writes it. */
    private volatile Profile profile;

    private final boolean on;
    private volatile Accelerator accelerator; // written once, under this object's monitor

    private AccelRuntime(PresetChoice preset, Profile profile) {
        this.preset = preset;
        this.profile = profile;
        this.on = profile == null ? preset.accelerates() : profile.get(Keys.MODE) == Mode.ACCELERATE;
        Services.startLater(this);
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
                started = Privileged.get(new Start());
            }
            return started;
        }
    }

    /** Starts with Accel's own rights. A class with a name: linking a lambda takes milliseconds while a process starts. */
    private static final class Start implements Supplier<AccelRuntime> {
        @Override
        public AccelRuntime get() {
            PresetChoice preset = PresetChoice.fromSystem();
            return new AccelRuntime(preset, preset == null ? Reading.profile() : null);
        }
    }

    /** Apart, since a preset is not read at once. */
    private static final class Reading {
        private Reading() {}

        /**
         * The JVM wraps the exceptions of its provider, and later throws one that names no cause; so this logs the mistake
         * by itself.
         */
        static Profile profile() {
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
    }

    /** Whether anything is accelerated at all; false in profile {@code off}. */
    public boolean isOn() {
        return on;
    }

    /** The accelerator of the profile at work. */
    public Accelerator accelerator() {
        Accelerator made = accelerator;
        return made != null ? made : make();
    }

    /** Whether nothing is chosen but a preset. */
    boolean hasOnlyPreset() {
        return preset != null;
    }

    /** The profile at work. */
    Profile profile() {
        Profile read = profile;
        if (read == null) {
            read = on ? accelerator().profile() : Privileged.get(preset);
            profile = read;
        }
        return read;
    }

    private synchronized Accelerator make() {
        if (accelerator == null) {
            accelerator = on && profile == null ? new Accelerator(preset) : Privileged.get(new Making(profile()));
        }
        return accelerator;
    }

    private record Making(Profile profile) implements Supplier<Accelerator> {
        @Override
        public Accelerator get() {
            return new Accelerator(profile);
        }
    }
}
