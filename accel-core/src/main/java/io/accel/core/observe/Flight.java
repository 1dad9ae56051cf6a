// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Privileged;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.stream.Stream;
import jdk.jfr.FlightRecorder;

/**
 * Reports events to the JDK's Flight Recorder, where there is one: a run-time image may lack the module {@code
 * jdk.jfr}, and then nothing here does anything. As long as nobody has ever recorded, a call costs a test of a field;
 * the classes of the events are not even announced, which would start the recorder and take longer than the rest of
 * Accel's start. Any thread.
 *
 * <p>An event with a duration is an {@code Object} between its beginning and its end, null if nobody records it.
 */
public final class Flight {
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private Flight() {}

    /** Whether a recording runs, or has run, so that the recorder is at work and the events are announced. */
    public static boolean isOn() {
        return PRESENT && FlightRecorder.isInitialized() && Announced.PERMITTED;
    }

    /** A client begins to connect. */
    public static Object connectBegins() {
        return isOn() ? Events.connectBegins() : null;
    }

    /**
     * A connection has got its path.
     *
     * @param begun the result of {@link #connectBegins}, or null for a server's connection
     * @param connection the connection
     */
    public static void connected(Object begun, ObservedConnection connection) {
        if (isOn()) {
            Events.connected(begun, connection);
        }
    }

    /** A sender has no room. */
    public static Object stallBegins() {
        return isOn() ? Events.stallBegins() : null;
    }

    /** The sender has room again. */
    public static void stallEnds(Object begun, ObservedConnection connection) {
        if (begun != null) {
            Events.stallEnds(begun, connection);
        }
    }

    /**
     * A connection was reset.
     *
     * @param byPeer whether the peer reset the connection, or it broke
     * @param cause the cause in words
     * @param connection the connection
     */
    public static void reset(boolean byPeer, String cause, ObservedConnection connection) {
        if (isOn()) {
            Events.reset(byPeer, cause, connection);
        }
    }

    /**
     * A connection's doorbell rings too often.
     *
     * @param doorbells how often it rang
     * @param nanos the time in which it did
     * @param connection the connection
     */
    public static void doorbellStorm(long doorbells, long nanos, ObservedConnection connection) {
        if (isOn()) {
            Events.doorbellStorm(doorbells, nanos, connection);
        }
    }

    /** Announces the events, once. */
    private static final class Announced {
        /**
         * Whether Accel may announce events: a security manager may keep even Accel's code from it. A denial is final.
         */
        static final boolean PERMITTED = isPermitted();

        private Announced() {}

        private static boolean isPermitted() {
            try {
                return Privileged.get(Events::announce);
            } catch (SecurityException | LinkageError e) {
                Log.of(Flight.class).get().log(Level.DEBUG, "no events for the Flight Recorder", e);
                return false;
            }
        }
    }

    /** The part that needs the Flight Recorder's classes; it is loaded only where they exist. */
    private static final class Events {
        private Events() {}

        /** Makes an event of each kind, which announces the kind. */
        static boolean announce() {
            return Stream.of(
                            new ConnectEvent(),
                            new FallbackEvent(),
                            new StallEvent(),
                            new ResetEvent(),
                            new DoorbellStormEvent())
                    .allMatch(Objects::nonNull);
        }

        static Object connectBegins() {
            ConnectEvent event = new ConnectEvent();
            if (!event.isEnabled()) {
                return null;
            }
            event.begin();
            return event;
        }

        static void connected(Object begun, ObservedConnection connection) {
            ConnectEvent event = begun == null ? new ConnectEvent() : (ConnectEvent) begun;
            event.end();
            FallbackEvent fallback = new FallbackEvent();
            if (!event.shouldCommit() && !fallback.shouldCommit()) {
                return;
            }
            ConnectionSample sample = connection.sample();
            event.of(sample);
            event.role = sample.role();
            event.reason = sample.reason();
            event.commit();
            if (!sample.reason().isEmpty()) {
                fallback.of(sample);
                fallback.role = sample.role();
                fallback.reason = sample.reason();
                fallback.detail = sample.detail();
                fallback.commit();
            }
        }

        static Object stallBegins() {
            StallEvent event = new StallEvent();
            if (!event.isEnabled()) {
                return null;
            }
            event.begin();
            return event;
        }

        static void stallEnds(Object begun, ObservedConnection connection) {
            StallEvent event = (StallEvent) begun;
            event.end();
            if (event.shouldCommit()) {
                ConnectionSample sample = connection.sample();
                event.of(sample);
                event.queued = sample.queuedOut();
                event.commit();
            }
        }

        static void reset(boolean byPeer, String cause, ObservedConnection connection) {
            ResetEvent event = new ResetEvent();
            if (event.shouldCommit()) {
                event.of(connection.sample());
                event.byPeer = byPeer;
                event.cause = cause;
                event.commit();
            }
        }

        static void doorbellStorm(long doorbells, long nanos, ObservedConnection connection) {
            DoorbellStormEvent event = new DoorbellStormEvent();
            if (event.shouldCommit()) {
                event.of(connection.sample());
                event.doorbells = doorbells;
                event.period = nanos;
                event.commit();
            }
        }
    }
}
