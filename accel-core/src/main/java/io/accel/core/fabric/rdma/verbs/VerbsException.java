// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import com.kenai.jffi.LastError;
import java.io.IOException;

/** A failed call into librdmacm or libibverbs: the call, its subject, and the system's reason. */
public final class VerbsException extends IOException {
    private static final long serialVersionUID = 1;

    private final String call;

    private final int errno;

    private VerbsException(String message, String call, int errno) {
        super(message);
        this.call = call;
        this.errno = errno;
    }

    /** The value that this thread's last call left in errno. */
    static int lastErrno() {
        return LastError.getInstance().get();
    }

    /** Makes the exception for a call that returns -1 or null and leaves the reason in errno. */
    static VerbsException lastError(String call, String subject) {
        return of(call, subject, lastErrno());
    }

    /** Makes the exception for a call that returns the reason itself. */
    static VerbsException of(String call, String subject, int errno) {
        return new VerbsException(
                call + ": " + subject + ": " + LibC.C.strerror(errno) + " (errno " + errno + ")" + advice(call, errno),
                call,
                errno);
    }

    private static String advice(String call, int errno) {
        if (errno == LibC.ENOMEM && call.equals("ibv_reg_mr")) {
            return "; the limit of locked memory is the usual cause, see ulimit -l (LimitMEMLOCK= of a service)";
        }
        if (errno == LibC.EACCES || errno == LibC.EPERM) {
            return "; see who may open the files in /dev/infiniband";
        }
        return "";
    }

    /** The C function's name. */
    public String call() {
        return call;
    }

    /** The system's error number; the usual ones are 12 (ENOMEM), 16 (EBUSY), 19 (ENODEV) and 98 (EADDRINUSE). */
    public int errno() {
        return errno;
    }
}
