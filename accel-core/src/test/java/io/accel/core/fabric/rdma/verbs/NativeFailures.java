// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import com.kenai.jffi.LastError;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Stands between Accel and librdmacm, libibverbs and the C library, and lets one call fail with an error number, without its
 * being made; all others are. So it does with the device's own functions for data. Counts all.
 * For what is opened while it is there; one at a time. Thread-safe.
 */
public final class NativeFailures implements AutoCloseable {
    /** These return their error; the others -1 or null, with the error in errno. */
    private static final Set<String> RETURN_THE_ERROR = Set.of(
            "ibv_query_device",
            "ibv_query_port",
            "ibv_modify_qp",
            "ibv_dereg_mr",
            "ibv_dealloc_pd",
            "ibv_destroy_cq",
            "ibv_destroy_comp_channel");
    /** What is closed by these stays open when they fail; it is closed with the last of the failures. */
    private static final Set<String> CLOSE =
            Set.of("ibv_dereg_mr", "ibv_dealloc_pd", "ibv_destroy_cq", "ibv_destroy_comp_channel", "rdma_destroy_id");

    private final DeviceOperations operations = new DeviceOperations(this::isToFail, this::errno);

    // Guarded by this.
    private final Map<String, Integer> counts = new TreeMap<>();
    private final List<Callable<Object>> unclosed = new ArrayList<>();
    private String failing = "";
    private String thread = "";
    private int left;
    private int errno;
    /** What is thrown in place of a failure; null for none. */
    private Throwable error;

    private boolean failed;

    /** From now on what is opened calls through this. */
    public NativeFailures() throws VerbsUnavailableException {
        Libraries.interpose(new Between(this::call));
    }

    private Object call(Object library, Method method, Object[] args) throws Throwable {
        String name = method.getName();
        if (name.equals("ibv_alloc_pd")) {
            operations.replace((Long) args[0]); // the first that a connection calls with its device's context
        }
        if (method.getReturnType() != void.class && isToFail(name)) {
            if (CLOSE.contains(name)) {
                owe(() -> method.invoke(library, args));
            }
            if (name.equals("rdma_ack_cm_event")) {
                // Otherwise librdmacm waits for it for ever when the identifier is destroyed; no real failure does
                // that.
                method.invoke(library, args);
            }
            return failure(method);
        }
        try {
            Object result = method.invoke(library, args);
            if (CLOSE.contains(name) && !Integer.valueOf(0).equals(result)) {
                owe(() -> method.invoke(library, args));
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private synchronized boolean isToFail(String name) {
        counts.merge(name, 1, Integer::sum);
        boolean isHere =
                thread.isEmpty() || thread.equals(Thread.currentThread().getName());
        if (!name.equals(failing) || !isHere || --left != 0) {
            return false;
        }
        failed = true;
        return true;
    }

    private synchronized int errno() {
        return errno;
    }

    private synchronized Object failure(Method method) throws Throwable {
        if (error != null) {
            throw error;
        }
        if (RETURN_THE_ERROR.contains(method.getName())) {
            return errno;
        }
        LastError.getInstance().set(errno);
        if (method.getReturnType() == long.class) {
            return 0L;
        }
        if (method.getReturnType() != int.class) {
            throw new IllegalArgumentException(method + " cannot fail");
        }
        return -1;
    }

    private synchronized void owe(Callable<Object> closing) {
        unclosed.add(closing);
    }

    /** From now on the n-th such call fails, and only that one. */
    public void fail(String call, int nth, int error) {
        failIn("", call, nth, error);
    }

    /** As {@link #fail}, of the calls that a thread of this name makes. */
    public synchronized void failIn(String threadName, String call, int nth, int error) {
        thread = threadName;
        failing = call;
        left = nth;
        errno = error;
        this.error = null;
        failed = false;
        counts.clear();
    }

    /** As {@link #failIn}, but the call throws what no library throws. */
    public synchronized void throwIn(String threadName, String call, int nth, Throwable thrown) {
        failIn(threadName, call, nth, 0);
        error = thrown;
    }

    /** Lets nothing fail, and begins to count. */
    public void record() {
        fail("", 1, 0);
    }

    /** Whether the call that was to fail has come. */
    public synchronized boolean hasFailed() {
        return failed;
    }

    /** Names of the calls since the last {@link #fail} or {@link #record}, but for those without a result, and how many. */
    public synchronized Map<String, Integer> countsOfThoseThatCanFail() {
        return new TreeMap<>(counts);
    }

    /** Closes what closing failed for, in that order; the calls that fail even now. */
    public synchronized List<String> closeUnclosed() throws Exception {
        failing = "";
        List<String> failures = new ArrayList<>();
        for (Callable<Object> each : unclosed) {
            if (!Integer.valueOf(0).equals(each.call())) {
                failures.add(each.toString());
            }
        }
        unclosed.clear();
        return failures;
    }

    @Override
    public void close() {
        Libraries.interposeNothing();
        operations.restore();
    }
}
