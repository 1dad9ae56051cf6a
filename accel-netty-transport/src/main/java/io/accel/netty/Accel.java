package io.accel.netty;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.Accelerator;
import io.accel.profile.Profile;
import io.netty.util.internal.PlatformDependent;
import java.util.Locale;

/**
 * Tells whether the transport works in this JVM. The transport has no native library of its own: it works wherever the JDK's
 * own sockets can be reached, and connections that cannot be accelerated are the kernel's.
 *
 * <p>The profile is the one that the system properties name ({@code -Daccel.profile=NAME}, {@code -Daccel.KEY=VALUE}), one for
 * the process. In profile {@code off} the transport is available, and everything is the kernel's.
 */
public final class Accel {
    private Accel() {}

    /** Whether {@link AccelIoHandler} and the channels of this package can be used. */
    public static boolean isAvailable() {
        return Holder.CAUSE == null;
    }

    /** Why the transport is not available; null if it is. */
    public static Throwable unavailabilityCause() {
        return Holder.CAUSE;
    }

    /**
     * Does nothing if the transport is available.
     *
     * @throws UnsatisfiedLinkError if it is not, as Netty's native transports do; the cause tells why
     */
    public static void ensureAvailability() {
        if (Holder.CAUSE != null) {
            throw (Error) new UnsatisfiedLinkError("the Accel transport is not available").initCause(Holder.CAUSE);
        }
    }

    /** The process's profile at work. */
    static Accelerator accelerator() {
        ensureAvailability();
        return Holder.ACCELERATOR;
    }

    private static final class Holder {
        static final Accelerator ACCELERATOR;
        static final Throwable CAUSE;

        static {
            Accelerator accelerator = null;
            Throwable cause = null;
            try {
                String system = PlatformDependent.normalizedOs();
                if (!system.equals("linux")) {
                    throw new UnsupportedOperationException(
                            "Accel runs on Linux, not on " + system.toLowerCase(Locale.ROOT));
                }
                JdkAccess.kernelProvider();
                accelerator = new Accelerator(Profile.fromSystem());
            } catch (RuntimeException | LinkageError e) {
                cause = e;
            }
            ACCELERATOR = accelerator;
            CAUSE = cause;
        }
    }
}
