// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.poll.PollConfig;
import io.accel.core.socket.Accelerator;
import io.accel.profile.Profile;
import io.accel.profile.ProfileException;
import java.time.Duration;
import java.util.Map;

/**
 * Configures how the event loops of one group wait, for {@link AccelIoHandler#newFactory(AccelIoHandlerConfig)}:
 *
 * <pre>{@code
 * EventLoopGroup acceptors = new MultiThreadIoEventLoopGroup(
 *         1, AccelIoHandler.newFactory(AccelIoHandlerConfig.ofProcess().spin(Duration.ZERO)));
 * EventLoopGroup quotes = new MultiThreadIoEventLoopGroup(
 *         1, AccelIoHandler.newFactory(AccelIoHandlerConfig.ofProfile("latency")));
 * }</pre>
 *
 * <p>It configures waiting alone. The process's profile decides everything else, such as the path of a connection's bytes, whichever
 * loop the connection is in. A loop that has nothing but listeners never spins, whatever is configured. Immutable and thread-safe.
 */
public final class AccelIoHandlerConfig {
    private static final Duration MOST_SPIN = Duration.ofHours(1); // as in the schema

    /** The settings; null for those of the process's profile. */
    private final PollConfig own;

    private AccelIoHandlerConfig(PollConfig own) {
        this.own = own;
    }

    /** Returns the settings of the process's profile: {@code -Daccel.profile} with the system properties laid over it. */
    public static AccelIoHandlerConfig ofProcess() {
        return new AccelIoHandlerConfig(null);
    }

    /**
     * Returns the {@code poll} settings of another profile. The system properties of the process are not laid over it.
     *
     * @param nameOrPath a preset's name, else a file's path
     * @return the configuration
     * @throws ProfileException if there is no such profile or anything in it is wrong; the message tells all of it
     */
    public static AccelIoHandlerConfig ofProfile(String nameOrPath) {
        return new AccelIoHandlerConfig(Accelerator.pollConfig(Profile.load(nameOrPath, Map.of())));
    }

    /**
     * Returns the same settings with another {@code poll.spin}.
     *
     * @param spin how long a loop goes on looking for traffic after the last, up to an hour; zero to sleep at once
     * @return the configuration
     * @throws IllegalArgumentException if {@code spin} is negative or longer than an hour
     * @throws ProfileException if the process's profile, which this is based on, has a mistake
     */
    public AccelIoHandlerConfig spin(Duration spin) {
        if (spin.isNegative() || spin.compareTo(MOST_SPIN) > 0) {
            throw new IllegalArgumentException("spin is " + spin + ", but must be from nothing to " + MOST_SPIN);
        }
        return new AccelIoHandlerConfig(pollConfig().withSpin(spin.toNanos()));
    }

    PollConfig pollConfig() {
        return own != null ? own : Accel.accelerator().pollConfig();
    }

    @Override
    public String toString() {
        return "AccelIoHandlerConfig(" + (own != null ? own : "as the process's profile says") + ')';
    }
}
