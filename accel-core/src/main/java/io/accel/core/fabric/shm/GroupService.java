// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.FallbackException;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Hears the members that come to this process's publications and go from them, and the publishers that have news for its members, on
 * one daemon thread that sleeps in the kernel otherwise. It carries no datagram.
 */
final class GroupService {
    private static final Log LOG = Log.of(GroupService.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    private static final String MET_AN_ERROR = "the thread for multicast groups met an error and goes on";

    /** A handler of a channel's readiness, on the service's thread. */
    interface Handler {
        void ready() throws IOException;
    }

    private static GroupService instance;

    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<Runnable> atExit = ConcurrentHashMap.newKeySet();

    private GroupService(Selector selector) {
        this.selector = selector;
    }

    /** The service of this process, started when it is first needed. */
    static synchronized GroupService get() throws FallbackException {
        if (instance == null) {
            try {
                GroupService service =
                        new GroupService(JdkAccess.kernelProvider().openSelector());
                Daemons.atExit("accel-groups-cleanup", service::cleanUp);
                Daemons.start("accel-groups", service::run, service.selector::wakeup);
                instance = service;
            } catch (IOException | IllegalStateException | OutOfMemoryError e) {
                throw new FallbackException(
                        FallbackReason.NO_RESOURCES,
                        "starting the thread for multicast groups failed: " + e.getMessage());
            }
        }
        return instance;
    }

    /** Watches a channel until it is closed. Any thread. */
    void watch(SelectableChannel channel, int ops, Handler handler) {
        tasks.add(() -> {
            try {
                SelectionKey unused = channel.register(selector, ops, handler);
            } catch (ClosedChannelException e) {
                LOG.get().log(Level.DEBUG, "a channel for multicast closed before it was watched", e);
            }
        });
        selector.wakeup();
    }

    /** Lets go of channels that were closed: the JDK keeps a descriptor until its key is gone. Any thread. */
    void letGo() {
        selector.wakeup();
    }

    /** Runs an action when the process ends, unless it is {@linkplain #forget forgotten} before. */
    void remember(Runnable action) {
        atExit.add(action);
    }

    void forget(Runnable action) {
        atExit.remove(action);
    }

    private void cleanUp() {
        for (Runnable each : atExit) {
            try {
                each.run();
            } catch (RuntimeException | Error e) {
                ERRORS.warn("giving back a multicast group at the process's end met an error", e);
            }
        }
    }

    private void run() {
        Daemons.turns(
                ERRORS,
                MET_AN_ERROR,
                () -> Daemons.select(selector, GroupService::ready, tasks.isEmpty() ? 0 : 1),
                () -> Daemons.runTasks(tasks, ERRORS, MET_AN_ERROR));
    }

    private static void ready(SelectionKey key) {
        try {
            ((Handler) key.attachment()).ready();
        } catch (ClosedChannelException | CancelledKeyException e) {
            key.cancel();
        } catch (Throwable e) {
            ERRORS.warn("a channel for multicast groups met an error", e);
            Daemons.pause();
        }
    }
}
