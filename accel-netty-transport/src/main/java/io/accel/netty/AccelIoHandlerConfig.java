package io.accel.netty;

import io.accel.core.poll.PollConfig;
import io.accel.core.socket.Accelerator;
import io.accel.profile.Profile;
import io.accel.profile.ProfileException;
import java.time.Duration;
import java.util.Map;

/**
 * How the event loops of one group wait, for {@link AccelIoHandler#newFactory(AccelIoHandlerConfig)}:
 *
 * <pre>{@code
 * EventLoopGroup acceptors = new MultiThreadIoEventLoopGroup(
 *         1, AccelIoHandler.newFactory(AccelIoHandlerConfig.ofProcess().spin(Duration.ZERO)));
 * EventLoopGroup quotes = new MultiThreadIoEventLoopGroup(
 *         1, AccelIoHandler.newFactory(AccelIoHandlerConfig.ofProfile("latency")));
 * }</pre>
 *
 * <p>It is about waiting alone. Which way a connection's bytes take, and all else, is the process's profile, whichever loop the
 * connection is in. A loop that has nothing but listeners never spins, whatever is configured. Immutable and thread-safe.
 */
public final class AccelIoHandlerConfig {
    private static final Duration MOST_SPIN = Duration.ofHours(1); // as in the schema

    /** Null for the process's. */
    private final PollConfig own;

    private AccelIoHandlerConfig(PollConfig own) {
        this.own = own;
    }

    /** As the process's profile says, {@code -Daccel.profile} and the properties over it. */
    public static AccelIoHandlerConfig ofProcess() {
        return new AccelIoHandlerConfig(null);
    }

    /**
     * As the {@code poll} settings of another profile say. The system properties of the process are not laid over it.
     *
     * @param nameOrPath a preset's name, else a file's path
     * @return the configuration
     * @throws ProfileException if there is no such profile or anything in it is wrong; the message tells all of it
     */
    public static AccelIoHandlerConfig ofProfile(String nameOrPath) {
        return new AccelIoHandlerConfig(Accelerator.pollConfig(Profile.load(nameOrPath, Map.of())));
    }

    /**
     * The same with another {@code poll.spin}.
     *
     * @param spin how long a loop goes on looking for traffic after the last there was, up to an hour; zero to sleep at once
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
