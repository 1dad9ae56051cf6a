// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Type;
import java.util.Arrays;

/**
 * Calls functions that have no symbol by their address. All parameters are declared as 64-bit integers, which is
 * jffi's fast path; the calling conventions of 64-bit Linux pass an {@code int} in the low half of the same register.
 * An {@code int} result leaves the high half undefined, so it is cut off here. No call allocates, or keeps errno:
 * these functions return their error.
 */
final class DataPath {
    private static final Invoker INVOKER = Invoker.getInstance();

    private static final CallContext TWO = context(2);

    private static final CallContext THREE = context(3);

    private DataPath() {}

    static int call(long function, long first, long second) {
        return (int) INVOKER.invokeL2NoErrno(TWO, function, first, second);
    }

    static int call(long function, long first, long second, long third) {
        return (int) INVOKER.invokeL3NoErrno(THREE, function, first, second, third);
    }

    private static CallContext context(int parameters) {
        Type[] types = new Type[parameters];
        Arrays.fill(types, Type.SINT64);
        return CallContext.getCallContext(Type.SINT64, types, CallingConvention.DEFAULT, false);
    }
}
