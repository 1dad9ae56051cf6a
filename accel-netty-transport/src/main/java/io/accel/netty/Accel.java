package io.accel.netty;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.runtime.AccelRuntime;
import io.accel.core.socket.Accelerator;
import io.accel.profile.ProfileException;
import io.netty.util.internal.PlatformDependent;
import java.util.Locale;

/**
 * Tells whether the transport works in this JVM. The transport has no native library of its own: it works wherever the JDK's
 * own sockets can be reached, and connections that cannot be accelerated are the kernel's.
 *
 * <p>The profile is the one that the system properties name ({@code -Daccel.profile=NAME}, {@code -Daccel.KEY=VALUE}), one for
 * the process. In profile {@code off} the transport is available, and everything is the kernel's. A mistake in the profile does
 * not make the transport unavailable, which a program would take as a reason to go on with another one: everything that needs
 * the profile, {@link #isAvailable()} first, fails with a {@link ProfileException} that tells the mistake.
 */
public final class Accel {
    private Accel() {}

    /**
     * Whether {@link AccelIoHandler} and the channels of this package can be used.
     *
     * @throws ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /**
     * Why the transport is not available; null if it is.
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
     * @throws UnsatisfiedLinkError if it is not, as Netty's native transports do; the cause tells why
     * @throws ProfileException if the process's profile has a mistake; the message tells all of it
     */
    public static void ensureAvailability() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw (Error) new UnsatisfiedLinkError("the Accel transport is not available").initCause(cause);
        }
    }

    /**
     * Whether the transport is available, and the process's profile is not {@code off}: whether a framework that has the choice
     * should take it.
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
