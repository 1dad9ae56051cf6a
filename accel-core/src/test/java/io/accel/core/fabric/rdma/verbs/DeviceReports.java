// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import com.kenai.jffi.MemoryIO;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands between Accel and libibverbs, and has devices report what a test wants, in place of what they do report: Soft-RoCE never
 * fails. Notes the calls that are made. For what is opened while it is there; one at a time. Thread-safe.
 */
public final class DeviceReports implements AutoCloseable {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private final List<String> calls = new CopyOnWriteArrayList<>();
    /** What is reported instead; null for what is. */
    private volatile AsyncEventType instead;
    /** A number that this version knows nothing of. */
    private volatile boolean unknown;

    private volatile long lastQueuePair;

    private final List<Integer> vectors = new CopyOnWriteArrayList<>();
    /** The number of completion vectors that devices are to have; 0 for as many as they have. */
    private volatile int completionVectors;

    /** From now on what is opened calls through this. */
    public DeviceReports() throws VerbsUnavailableException {
        Libraries.interpose(new Between(this::call));
    }

    private Object call(Object library, Method method, Object[] args) throws Throwable {
        String name = method.getName();
        calls.add(name);
        try {
            if (name.equals("ibv_ack_async_event") && (instead != null || unknown)) {
                return null; // the device has reported something that needs none
            }
            if (name.equals("ibv_create_cq")) {
                noteVector(args);
            }
            Object result = method.invoke(library, args);
            if (name.equals("rdma_create_qp")) {
                lastQueuePair = NativeMemory.getPointer((Long) args[0] + RdmaCmId.QP);
            } else if (name.equals("ibv_get_async_event") && Integer.valueOf(0).equals(result)) {
                replace((Long) args[1]);
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void replace(long event) {
        AsyncEventType wanted = instead;
        if (unknown) {
            MEMORY.putInt(event + IbvAsyncEvent.EVENT_TYPE, 1_000);
        } else if (wanted != null) {
            MEMORY.putInt(
                    event + IbvAsyncEvent.EVENT_TYPE,
                    List.of(AsyncEventType.values()).indexOf(wanted));
            MEMORY.putLong(event + IbvAsyncEvent.ELEMENT, lastQueuePair);
        }
    }

    /** The device takes the only vector that it has. */
    private void noteVector(Object[] args) {
        vectors.add((Integer) args[4]);
        if (completionVectors > 0) {
            args[4] = 0;
            MEMORY.putInt((Long) args[0] + IbvContext.NUM_COMP_VECTORS, completionVectors);
        }
    }

    /** Each device says, from its next completion queue on, that it has so many completion vectors. */
    public void completionVectors(int number) {
        completionVectors = number;
    }

    /** The vectors that were asked for, a completion queue each. */
    public List<Integer> vectors() {
        return vectors;
    }

    /** Whatever a device reports from now on is this, of the queue pair that was made last. */
    public void instead(AsyncEventType type) {
        unknown = false;
        instead = type;
    }

    /** Whatever a device reports from now on is nothing that anybody knows. */
    public void unknownInstead() {
        unknown = true;
    }

    /** The names of all calls but those of the data path, in order; more are added as they are made. Tests may add others. */
    public List<String> calls() {
        return calls;
    }

    @Override
    public void close() {
        Libraries.interposeNothing();
    }
}
