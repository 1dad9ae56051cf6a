// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.FallbackReason;
import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmEventChannel;
import io.accel.core.fabric.rdma.verbs.CmEventType;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.Context;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The daemon thread that hears the connection manager and the devices on behalf of multicast groups. Without news it sleeps in the kernel,
 * but for a look at the devices that are open each second ({@link OpenDevices}).
 * Objects of a device are closed by it alone, in tasks, so that none is used while it goes.
 */
final class GroupThread {
    private static final Log LOG = Log.of(GroupThread.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    private static final String MET_AN_ERROR = "the thread for multicast groups over RDMA met an error and goes on";

    private static final long MILLISECOND = 1_000_000L;

    private static GroupThread instance;

    private final CmEventChannel events;
    private final Selector selector;
    private final Map<CmId, CmHandler> handlers = new ConcurrentHashMap<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    private final OpenDevices devices;

    // The thread's own:

    private final GroupReports reports = new GroupReports(this);
    private final PriorityQueue<Due> due = new PriorityQueue<>((a, b) -> Long.signum(a.at - b.at));

    /** A task, and when to run it, on {@link System#nanoTime()}'s scale. */
    private record Due(long at, Runnable task) {}

    private GroupThread(CmEventChannel events, Selector selector) {
        this.events = events;
        this.selector = selector;
        this.devices = new OpenDevices(selector::wakeup, context -> {});
    }

    /** The thread of this process, started when it is first needed. */
    static synchronized GroupThread get() throws FallbackException {
        if (instance == null) {
            instance = start(Daemons::start);
        }
        return instance;
    }

    /** Starts a daemon, as {@link Daemons#start(String, Runnable, Runnable)}. */
    @FunctionalInterface
    interface Starter {
        void start(String name, Runnable body, Runnable wake);
    }

    /** Starts a thread that lives as long as the process. */
    static GroupThread start(Starter daemons) throws FallbackException {
        CmEventChannel events = null;
        Selector selector = null;
        SelectableChannel watched = null;
        try {
            events = CmEventChannel.open();
            selector = JdkAccess.kernelProvider().openSelector();
            watched = Endpoint.selectable(events.duplicateFd());
            GroupThread thread = new GroupThread(events, selector);
            watched.configureBlocking(false);
            SelectionKey unused = watched.register(
                    selector, SelectionKey.OP_READ, (Runnable) () -> {}); // its events are read in each turn
            daemons.start("accel-rdma-groups", thread::run, selector::wakeup);
            return thread;
        } catch (IOException e) {
            close(watched, selector, events);
            throw Failures.toFallback(e);
        } catch (IllegalStateException | SecurityException | OutOfMemoryError e) {
            close(watched, selector, events);
            throw new FallbackException(
                    FallbackReason.NO_RESOURCES,
                    "starting the thread for multicast groups over RDMA failed: " + e.getMessage());
        }
    }

    private static void close(SelectableChannel watched, Selector selector, CmEventChannel events) {
        Endpoint.close(watched, "event channel's descriptor");
        Endpoint.close(selector, "selector"); // only then does the selector let go of the descriptor
        Endpoint.close(events, "event channel");
    }

    /** Makes an identifier whose events a handler gets, on this thread. Any thread. */
    CmId createId(CmHandler handler) throws IOException {
        CmId id = events.createDatagramId();
        handlers.put(id, handler);
        return id;
    }

    /** An identifier is on this device, perhaps the first. Any thread. */
    void opened(Context context) {
        devices.opened(context);
    }

    /** From now on nobody hears of the identifier, whose owner closes it now. This thread only. */
    void forget(CmId id) {
        handlers.remove(id);
    }

    /** Runs a task on this thread. Any thread. */
    void run(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    /** The reports of members. This thread only. */
    GroupReports reports() {
        return reports;
    }

    /** Runs a task on this thread after that time. This thread only. */
    void runAfter(long nanos, Runnable task) {
        due.add(new Due(System.nanoTime() + nanos, task));
    }

    /** Watches a channel until it is closed. Any thread. */
    void watch(SelectableChannel channel, Runnable readable) {
        run(() -> {
            try {
                SelectionKey unused = channel.register(selector, SelectionKey.OP_READ, readable);
            } catch (ClosedChannelException e) {
                LOG.get().log(Level.DEBUG, "a channel for multicast closed before it was watched", e);
            }
        });
    }

    /** Lets go of channels that were closed: the JDK keeps a descriptor until its key is gone. */
    void letGo() {
        selector.wakeup();
    }

    private void run() {
        Daemons.turns(
                ERRORS,
                MET_AN_ERROR,
                () -> Daemons.select(selector, GroupThread::ready, pauseMillis()),
                this::takeEvents,
                this::runDue,
                () -> devices.look(System.nanoTime()));
    }

    private void takeEvents() throws IOException {
        for (CmEvent event = events.nextEvent(); event != null; event = events.nextEvent()) {
            take(event);
        }
    }

    private void runDue() {
        while (!due.isEmpty() && due.peek().at - System.nanoTime() <= 0) {
            tasks.add(due.peek().task); // which gets another turn if memory has run out
            due.poll();
        }
        Daemons.runTasks(tasks, ERRORS, MET_AN_ERROR);
    }

    /** Dispatches one event. An error concerns the group that it is for; the events behind it belong to others. */
    private void take(CmEvent event) {
        try {
            if (event.type() == CmEventType.DEVICE_REMOVAL) {
                devices.removal();
            }
            CmHandler handler = handlers.get(event.id());
            if (handler != null) {
                handler.on(event);
            }
        } catch (Throwable e) {
            ERRORS.warn(MET_AN_ERROR, e);
        }
    }

    /** How long to sleep: until a task is due, or it is time to look at the devices. 0 means without limit. */
    private long pauseMillis() {
        long until = devices.nextLook();
        Due next = due.peek();
        if (next != null && (until == Long.MAX_VALUE || next.at - until < 0)) {
            until = next.at;
        }
        return until == Long.MAX_VALUE ? 0 : Math.max(1, (until - System.nanoTime() + MILLISECOND - 1) / MILLISECOND);
    }

    /** Serves one channel, whatever that one meets: the others are served as well. */
    private static void ready(SelectionKey key) {
        try {
            ((Runnable) key.attachment()).run();
        } catch (Throwable e) {
            ERRORS.warn(MET_AN_ERROR, e);
            Daemons.pause(); // it may be ready again at once, and fail again
        }
    }
}
