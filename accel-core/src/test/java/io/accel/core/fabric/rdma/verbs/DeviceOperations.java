// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Closure;
import com.kenai.jffi.ClosureManager;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Type;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * The calls of the data path, which have no symbol: a device's context holds their addresses. Puts functions of its own
 * there, which call the device's or fail. For what is created while they are there.
 */
final class DeviceOperations {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private static final Map<String, Integer> PLACES = Map.of(
            "ibv_poll_cq", IbvContext.OPS_POLL_CQ,
            "ibv_req_notify_cq", IbvContext.OPS_REQ_NOTIFY_CQ,
            "ibv_post_send", IbvContext.OPS_POST_SEND,
            "ibv_post_recv", IbvContext.OPS_POST_RECV);

    /** What it put there, never freed: queue pairs and completion queues keep the addresses. */
    private final Map<Long, Closure.Handle> own = new LinkedHashMap<>();

    /** What was there, by place. */
    private final Map<Long, Long> devices = new LinkedHashMap<>();

    private final Predicate<String> isToFail;
    private final IntSupplier errno;

    /**
     * Replaces nothing yet.
     *
     * @param isToFail asked before each call, with its name
     * @param errno says what a call that fails returns
     */
    DeviceOperations(Predicate<String> isToFail, IntSupplier errno) {
        this.isToFail = isToFail;
        this.errno = errno;
    }

    /** Replaces a context's operations, unless that is done. */
    synchronized void replace(long context) {
        PLACES.forEach((name, offset) -> {
            long place = context + offset;
            if (own.containsKey(place)
                    && MEMORY.getAddress(place) == own.get(place).getAddress()) {
                return;
            }
            long device = MEMORY.getAddress(place);
            devices.put(place, device);
            int parameters = name.equals("ibv_req_notify_cq") ? 2 : 3;
            Type[] types = new Type[parameters];
            Arrays.fill(types, Type.SINT64);
            CallContext signature = CallContext.getCallContext(Type.SINT64, types, CallingConvention.DEFAULT, false);
            Closure.Handle function =
                    ClosureManager.getInstance().newClosure(call -> operate(name, device, parameters, call), signature);
            function.setAutoRelease(false);
            own.put(place, function);
            MEMORY.putAddress(place, function.getAddress());
        });
    }

    private void operate(String name, long device, int parameters, Closure.Buffer call) {
        if (!isToFail.test(name)) {
            call.setLongReturn(
                    parameters == 2
                            ? DataPath.call(device, call.getLong(0), call.getLong(1))
                            : DataPath.call(device, call.getLong(0), call.getLong(1), call.getLong(2)));
        } else if (name.equals("ibv_poll_cq")) {
            call.setLongReturn(-errno.getAsInt());
        } else {
            if (name.startsWith("ibv_post")) {
                MEMORY.putAddress(call.getLong(2), call.getLong(1)); // the first request is the one that was refused
            }
            call.setLongReturn(errno.getAsInt());
        }
    }

    /** Gives the devices their own back. */
    synchronized void restore() {
        devices.forEach(MEMORY::putAddress);
    }
}
