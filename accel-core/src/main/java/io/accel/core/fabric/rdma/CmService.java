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
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Does RDMA's work that needs no program: one daemon thread answers clients, hears of connections that end, delivers
 * what closed connections leave behind, probes silent peers, listens for the devices' events, and helps along a
 * connection that waits for credits while its program is elsewhere. Without such work it sleeps in the kernel, but for a look at the
 * devices that are open each second ({@link OpenDevices}).
 */
final class CmService {
    private static final Log LOG = Log.of(CmService.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    private static final long MILLISECOND = 1_000_000L;
    private static final long PATIENCE_AT_EXIT_NANOS = 2_000 * MILLISECOND;
    private static final long HANDSHAKE_LOOK_NANOS = 50 * MILLISECOND;
    /** A device that was taken away, or a port that another process has, may stay so for good. */
    private static final long REOPEN_PAUSE_NANOS = 1_000 * MILLISECOND;
    /** How long a connection that met an error is left alone. */
    private static final long ERROR_PAUSE_NANOS = 100 * MILLISECOND;

    private static CmService instance;

    private final CmEventChannel events;
    private final Selector selector;

    private final Destroyer destroyer = new Destroyer();
    private final OpenDevices devices;
    private final Map<CmId, CmHandler> handlers = new ConcurrentHashMap<>();
    /** All connections that have not been given back yet. */
    private final Set<RdmaLink> links = ConcurrentHashMap.newKeySet();
    /** Links that need attention, for the thread to pick up. */
    private final Queue<RdmaLink> newcomers = new ConcurrentLinkedQueue<>();
    /** Handshakes under way; only the thread uses them. */
    private final Set<ServerHandshake> handshakes = ConcurrentHashMap.newKeySet();
    /** Tasks from other threads for this thread, such as to answer a client whose connection the program has accepted now. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** Listeners whose device was taken away, or whose port number another process has. */
    private final Set<RdmaListener> homeless = ConcurrentHashMap.newKeySet();
    /** When to attend to a link again; only the thread uses it. */
    private final Map<RdmaLink, Long> due = new ConcurrentHashMap<>(); // it changes while a loop goes through it

    // Only the thread uses these:
    private final ClientRequests requests = new ClientRequests(System::nanoTime);
    private final WaitingClients waiting = new WaitingClients();
    private final DeviceEvents deviceEvents;
    private long checkAt;
    /** When listeners without a device try again. */
    private long reopenAt;

    private CmService(CmEventChannel events, Selector selector, Predicate<InetAddress> hasWay) {
        this.events = events;
        this.selector = selector;
        this.devices = new OpenDevices(selector::wakeup, waiting::deviceGone);
        this.deviceEvents = new DeviceEvents(selector, hasWay);
    }

    /** Gives the service. */
    interface Source {
        CmService get() throws FallbackException;
    }

    /** The service of this process, started when it is first needed. */
    static synchronized CmService get() throws FallbackException {
        if (instance == null) {
            instance = start();
        }
        return instance;
    }

    /** Starts a service that lives as long as the process. */
    static CmService start() throws FallbackException {
        return start(CmService::hasWay);
    }

    /**
     * As {@link #start()}.
     *
     * @param hasWay whether the kernel has a way from an address
     */
    static CmService start(Predicate<InetAddress> hasWay) throws FallbackException {
        CmEventChannel events = null;
        Selector selector = null;
        SelectableChannel watched = null;
        try {
            events = CmEventChannel.open();
            selector = JdkAccess.kernelProvider().openSelector();
            watched = Endpoint.selectable(events.duplicateFd());
            watched.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            CmService service = new CmService(events, selector, hasWay);
            Daemons.atExit("accel-rdma-cleanup", service::finishAll);
            // The thread starts last: from now on it uses all fields.
            Daemons.start("accel-rdma", service::run, service.selector::wakeup);
            return service;
        } catch (IOException e) {
            close(watched, selector, events);
            throw Failures.toFallback(e);
        } catch (IllegalStateException | SecurityException | OutOfMemoryError e) {
            close(watched, selector, events);
            throw new FallbackException(
                    FallbackReason.NO_RESOURCES, "starting the RDMA thread failed: " + e.getMessage());
        }
    }

    /** Whether the interface that has the address can send. */
    private static boolean hasWay(InetAddress from) {
        try {
            NetworkInterface has = NetworkInterface.getByInetAddress(from);
            return has != null && has.isUp();
        } catch (SocketException e) {
            return false;
        }
    }

    private static void close(SelectableChannel watched, Selector selector, CmEventChannel events) {
        Endpoint.close(watched, "event channel's descriptor");
        Endpoint.close(selector, "selector"); // only then does the selector let go of the descriptor
        Endpoint.close(events, "event channel");
    }

    /** The channel for the events of listeners and of established connections. */
    CmEventChannel events() {
        return events;
    }

    // ---- any thread

    /** From now on the identifier's events go to the handler. Call it before they can come. */
    void handle(CmId id, CmHandler handler) {
        handlers.put(id, handler);
    }

    /** An identifier is on this device, perhaps the first. */
    void opened(Context context) {
        devices.opened(context);
    }

    void unhandle(CmId id) {
        handlers.remove(id);
    }

    /** Adds an established connection: the service will hear of its end. */
    void add(RdmaLink link) {
        links.add(link);
        run(() -> watch(link)); // its keep-alive may be the first
    }

    private void watch(RdmaLink link) {
        if (links.contains(link)) {
            deviceEvents.add(link);
        }
    }

    /** The link has given back its part of the device. Only the service's own thread. */
    void forget(RdmaLink link) {
        links.remove(link);
        deviceEvents.remove(link);
        handlers.remove(link.endpoint().id());
    }

    /** Destroys an identifier that nobody uses any more. */
    void destroy(CmId id) {
        destroy(id, () -> {});
    }

    /**
     * As {@link #destroy(CmId)}.
     *
     * @param afterwards run once it is destroyed, by another thread
     */
    void destroy(CmId id, Runnable afterwards) {
        destroyer.destroy(id, afterwards);
    }

    /** Whether a connection that has not been given back yet has this port number. */
    boolean hasLinkOn(int port) {
        for (RdmaLink link : links) {
            if (link.port() == port) {
                return true;
            }
        }
        return destroyer.has(port);
    }

    /** Attends to a link until the link says that there is no need. */
    void attend(RdmaLink link) {
        if (!link.attended().get() && link.attended().compareAndSet(false, true)) {
            boolean added = false;
            try {
                added = newcomers.add(link);
            } finally {
                if (!added) {
                    link.attended().set(false); // for want of memory: a later call attends to it
                }
            }
            selector.wakeup();
        }
    }

    /** Has the service's thread run a task. */
    void run(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    void add(ServerHandshake handshake) {
        handshakes.add(handshake);
    }

    void remove(ServerHandshake handshake) {
        handshakes.remove(handshake);
    }

    /** The clients that wait until the program accepts. Only the service's own thread uses them. */
    WaitingClients waiting() {
        return waiting;
    }

    /**
     * Adds a listener that wants to try now and then whether it can open again. Only the service's own thread calls
     * it.
     */
    void addHomeless(RdmaListener listener) {
        reopenAt = System.nanoTime() + REOPEN_PAUSE_NANOS;
        homeless.add(listener);
    }

    void removeHomeless(RdmaListener listener) {
        homeless.remove(listener);
    }

    // ---- the thread

    private void run() {
        checkAt = System.nanoTime();
        Daemons.turns(
                ERRORS,
                "the RDMA thread met an error and goes on",
                () -> Daemons.select(selector, deviceEvents::ready, pauseMillis()),
                this::takeEvents,
                this::takeTasks,
                () -> attendAll(System.nanoTime()),
                this::attendHandshakes,
                () -> reopenHomeless(System.nanoTime()),
                () -> deviceEvents.look(System.nanoTime()),
                () -> waiting.look(System.nanoTime()),
                () -> devices.look(System.nanoTime()),
                () -> checkPeers(System.nanoTime()),
                this::doSomeRequests);
    }

    private void takeEvents() throws IOException {
        for (CmEvent event = events.nextEvent(); event != null; event = events.nextEvent()) {
            take(event);
        }
    }

    private void takeTasks() {
        for (Runnable task = tasks.peek(); task != null; task = tasks.peek()) {
            takeTask(task);
            Runnable unused = tasks.poll(); // last: after an error the next turn takes it
        }
    }

    private void attendHandshakes() {
        long now = System.nanoTime();
        each(handshakes, handshake -> handshake.attend(now), ServerHandshake::meetError);
    }

    private void doSomeRequests() {
        if (requests.doSome()) {
            selector.wakeup(); // the next turn begins at once
        }
    }

    private static <T> void each(Iterable<T> all, Consumer<T> work, BiConsumer<T, Throwable> failed) {
        Turn.each(all, work, failed, e -> ERRORS.warn("the RDMA thread met an error behind an error, and goes on", e));
    }

    /** Dispatches an event at once, unless a client asks for a link, which takes longer. */
    private void take(CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            boolean isKept = false;
            try {
                requests.add(event.id(), () -> dispatchOne(event));
                isKept = true;
            } finally {
                if (!isKept) {
                    destroy(event.id()); // for want of memory: this refuses the client
                }
            }
        } else {
            requests.hurry(event.id()); // what comes first
            dispatchOne(event);
        }
    }

    private void takeTask(Runnable task) {
        requests.add(
                task,
                () -> each(
                        List.of(task), Runnable::run, (one, e) -> ERRORS.warn("answering a client met an error", e)));
    }

    /**
     * Dispatches one event. An error in one connection's handshake concerns that connection only; the events behind it
     * belong to others.
     */
    private void dispatchOne(CmEvent event) {
        try {
            dispatch(event);
        } catch (Throwable e) {
            ERRORS.warn("handling " + event + " met an error", e);
        }
    }

    private void dispatch(CmEvent event) {
        CmId subject = event.type() == CmEventType.CONNECT_REQUEST ? event.listener() : event.id();
        CmHandler handler = subject == null ? null : handlers.get(subject);
        if (event.type() == CmEventType.DEVICE_REMOVAL) {
            devices.removal();
        }
        if (handler != null) {
            handler.on(event);
        } else {
            LOG.get().log(Level.DEBUG, "nobody waits for {0}", event);
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                destroy(event.id()); // which refuses the client
            }
        }
    }

    private void attendAll(long now) {
        for (RdmaLink link = newcomers.peek(); link != null; link = newcomers.peek()) {
            due.put(link, now);
            RdmaLink unused = newcomers.poll(); // last: after an error the next turn takes it
        }
        each(due.keySet(), link -> attendIfDue(link, now), (link, e) -> {
            ERRORS.warn("looking after an RDMA connection met an error, and is tried again", e);
            link.attended().set(true);
            due.put(link, now + ERROR_PAUSE_NANOS);
        });
    }

    private void attendIfDue(RdmaLink link, long now) {
        if (now - due.get(link) < 0) {
            return;
        }
        link.attended().set(false); // first: a call from now on begins a new round
        long pause = link.attend(now);
        if (pause > 0) {
            link.attended().set(true);
            due.put(link, now + pause);
        } else {
            if (pause < 0) {
                link.attended().set(true); // for ever: nothing is left to attend to
            }
            due.remove(link);
        }
    }

    private void reopenHomeless(long now) {
        if (!homeless.isEmpty() && now - reopenAt >= 0) {
            reopenAt = now + REOPEN_PAUSE_NANOS;
            each(
                    homeless,
                    RdmaListener::reopen,
                    (listener, e) -> ERRORS.warn("listening for RDMA again met an error, and is tried again", e));
        }
    }

    /** Checks peers that may be gone, as often as the connection with the shortest interval demands. */
    private void checkPeers(long now) {
        long interval = Long.MAX_VALUE;
        for (RdmaLink link : links) {
            interval = Math.min(interval, link.checkIntervalNanos());
        }
        if (interval == Long.MAX_VALUE) {
            checkAt = Long.MAX_VALUE;
        } else if (checkAt == Long.MAX_VALUE) {
            checkAt = now + interval;
        } else if (now - checkAt >= 0) {
            checkAt = now + interval;
            each(
                    links,
                    link -> link.checkPeer(now),
                    (link, e) -> ERRORS.warn("asking a silent RDMA peer met an error, and is tried again", e));
        }
    }

    /** How long to sleep: until an event, unless something is due before. 0 means without limit. */
    private long pauseMillis() {
        long now = System.nanoTime();
        if (!requests.isEmpty()) {
            return 1; // after an error
        }
        long until = earlier(earlier(checkAt, deviceEvents.nextLook()), devices.nextLook());
        until = earlier(until, waiting.nextLook());
        for (long at : due.values()) {
            until = earlier(until, at);
        }
        if (!handshakes.isEmpty()) {
            until = earlier(until, now + HANDSHAKE_LOOK_NANOS);
        }
        if (!homeless.isEmpty()) {
            until = earlier(until, reopenAt);
        }
        if (until == Long.MAX_VALUE) {
            return 0;
        }
        return Math.max(1, (until - now + MILLISECOND - 1) / MILLISECOND);
    }

    private static long earlier(long a, long b) {
        return a == Long.MAX_VALUE || (b != Long.MAX_VALUE && b - a < 0) ? b : a;
    }

    // ---- the process's end

    /** Sends what programs have written before the process ends, as the kernel would do for its sockets. */
    private void finishAll() {
        long deadline = System.nanoTime() + PATIENCE_AT_EXIT_NANOS;
        while (!allFinished() && System.nanoTime() - deadline < 0) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean allFinished() {
        boolean finished = true;
        for (RdmaLink link : links) {
            finished &= link.finish();
        }
        return finished;
    }
}
