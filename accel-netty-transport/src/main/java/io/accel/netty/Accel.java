// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.runtime.AccelRuntime;
import io.accel.core.socket.Accelerator;
import io.accel.profile.ProfileException;
import io.netty.util.internal.PlatformDependent;
import java.util.Locale;

/**
 * Tells whether the transport works in this JVM. The transport has no native library of its own: it works wherever the JDK's own
 * sockets can be reached, and the kernel carries the connections that cannot be accelerated.
 *
 * <p>A process has one profile, which the system properties name ({@code -Daccel.profile=NAME}, {@code -Daccel.KEY=VALUE}). In profile
 * {@code off} the transport is available, and the kernel carries everything. A mistake in the profile does not make the transport
 * unavailable, as a program would then quietly use another one. Instead every method that needs the profile, {@link #isAvailable()}
 * first, fails with a {@link ProfileException} that states the mistake.
 */
public final class Accel {
    private Accel() {}

    /**
     * Returns whether {@link AccelIoHandler} and the channels of this package can be used.
     *
     * @throws ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /**
     * Returns the reason why the transport is not available; null if it is.
     *
     * @throws ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static Throwable unavailabilityCause() {
        if (Holder.MISTAKE != null) {
            throw Holder.MISTAKE;
        }
        return Holder.CAUSE;
    }

    /**
     * Does nothing if the transport is available.
     *
     * @throws UnsatisfiedLinkError if it is not available, as with Netty's native transports; the cause tells why
     * @throws ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static void ensureAvailability() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw (Error) new UnsatisfiedLinkError("the Accel transport is not available").initCause(cause);
        }
    }

    /**
     * Returns whether the transport is available and the process's profile is not {@code off}. A framework that has the choice should
     * then take it.
     *
     * @throws ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static boolean isOn() {
        return isAvailable() && Holder.ACCELERATOR.isOn();
    }

    /** The process's profile at work. */
    static Accelerator accelerator() {
        ensureAvailability();
        return Holder.ACCELERATOR;
    }

    private static final class Holder {
        static final Accelerator ACCELERATOR;
        static final Throwable CAUSE;
        static final ProfileException MISTAKE;

        static {
            Accelerator accelerator = null;
            Throwable cause = null;
            ProfileException mistake = null;
            try {
                String system = PlatformDependent.normalizedOs();
                if (!system.equals("linux")) {
                    throw new UnsupportedOperationException(
                            "Accel runs on Linux, not on " + system.toLowerCase(Locale.ROOT));
                }
                JdkAccess.kernelProvider();
                accelerator = AccelRuntime.get().accelerator();
            } catch (ProfileException e) {
                mistake = e;
            } catch (RuntimeException | LinkageError e) {
                cause = e;
            }
            ACCELERATOR = accelerator;
            CAUSE = cause;
            MISTAKE = mistake;
        }
    }
}
