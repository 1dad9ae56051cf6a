// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import io.accel.nio.net.AccelSockets;
import io.accel.profile.OptionLine;
import io.accel.profile.Profile;
import io.accel.profile.ProfileException;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Makes Accel the JVM's {@code SelectorProvider} and {@code AsynchronousChannelProvider} before the program starts.
 *
 * <p>The JVM has already put the jar on the class path by the time the agent runs (it does so for every agent). The agent
 * turns its arguments into {@code accel.*} system properties, checks the profile that they and the environment make for mistakes, and
 * names Accel as the provider. It opens none of the JDK's packages to other code, as libraries choose differently when they can reach
 * into the JDK's channels. A {@code -D} of the command line has precedence over all of this.
 *
 * <p>It changes a few classes of the JDK's, so that these treat Accel's channels as the JDK's own: see {@link JdkChange}. It has
 * Netty take the JDK's channels: see {@link NettyTransports}.
 *
 * <p>A mistake is reported in a line, and ends the program with status {@value #MISTAKE}; with {@code on-error=off} the program goes on
 * without Accel.
 */
public final class AccelAgent {
    /** The property by which the JDK finds its provider. */
    static final String PROVIDER_PROPERTY = "java.nio.channels.spi.SelectorProvider";

    /** The provider, by name: the program's first channel is to load the class, not the start of the JVM. */
    static final String PROVIDER = "io.accel.nio.AccelSelectorProvider";

    /** The property by which the JDK finds its provider of asynchronous channels. */
    static final String ASYNCHRONOUS_PROPERTY = "java.nio.channels.spi.AsynchronousChannelProvider";

    static final String ASYNCHRONOUS = "io.accel.nio.AccelAsynchronousChannelProvider";

    private static final String JDKS_CHANNELS = "sun.nio.ch";

    /** The module that opens the way to what is not exported. */
    private static final String REACH = "jdk.unsupported";

    private static final int LAST_WITH_MANAGERS = 23;
    private static final int LAST_THAT_ALLOWS_MANAGERS = 17;

    private static final String PREFIX = "accel.";
    private static final String ON_ERROR = "on-error";
    private static final int MISTAKE = 2;

    private static final String PROVIDER_HOLDER = PROVIDER_PROPERTY + "$Holder";
    private static final String ASYNCHRONOUS_HOLDER = ASYNCHRONOUS_PROPERTY + "$ProviderHolder";

    private AccelAgent() {}

    /**
     * Called by the JVM for {@code -javaagent}.
     *
     * @param arguments {@code key=value,...} or null
     */
    public static void premain(String arguments, Instrumentation instrumentation) {
        try {
            takeRights();
            String refused = install(arguments, instrumentation);
            if (refused != null) {
                say(refused);
            }
        } catch (IllegalArgumentException | ProfileException e) {
            e.getMessage().lines().forEach(Say.TO_USERS);
            if (!isForgiving(arguments)) {
                say("the program was not started. With -javaagent:accel.jar=on-error=off it would run without Accel");
                System.exit(MISTAKE);
            }
            say("the program runs without Accel");
            clearProviders();
        } catch (SecurityException e) {
            say("the security policy does not grant Accel's jar what it needs (" + e.getMessage()
                    + "), so this JVM does not" + " use Accel. It needs java.security.AllPermission");
            withoutRights();
        }
    }

    /** Called first. The JVM has loaded the classes that the methods' signatures name here, which must not be Accel's: see {@link OwnRights}. */
    @SuppressWarnings("removal") // JDK 17 to 23 have security managers
    private static void takeRights() {
        if (System.getSecurityManager() != null || !mayGetManager()) {
            return;
        }
        try {
            OwnRights.take();
        } catch (IOException e) {
            say(
                    "under a SecurityManager that the program installs, its policy must grant Accel's jar java.security.AllPermission: "
                            + e.getMessage());
        }
    }

    /** Whether the program may install a manager in this JVM, where none is now. */
    private static boolean mayGetManager() {
        int feature = Runtime.version().feature();
        String said = System.getProperty("java.security.manager");
        return feature <= LAST_THAT_ALLOWS_MANAGERS
                ? !"disallow".equals(said)
                : feature <= LAST_WITH_MANAGERS && "allow".equals(said);
    }

    private static void clearProviders() {
        clear(PROVIDER_PROPERTY, PROVIDER);
        clear(ASYNCHRONOUS_PROPERTY, ASYNCHRONOUS);
    }

    private static void withoutRights() {
        try {
            clearProviders();
        } catch (SecurityException e) {
            // What it may not clear it was not allowed to set, either.
        }
    }

    private static void clear(String property, String value) {
        if (value.equals(System.getProperty(property))) {
            System.clearProperty(property);
        }
    }

    private static void say(String line) {
        System.err.println("accel: " + line);
    }

    /** A name, and no lambda: linking the first takes milliseconds of a JVM's start. */
    private enum Say implements Consumer<String> {
        TO_USERS;

        @Override
        public void accept(String line) {
            say(line);
        }
    }

    /** Whether the program is to start despite a mistake; found even where nothing else can be read. */
    private static boolean isForgiving(String arguments) {
        String said = System.getProperty(PREFIX + ON_ERROR);
        return said != null
                ? said.equals("off")
                : Stream.of(arguments, System.getenv(Profile.OPTIONS_VARIABLE))
                        .anyMatch(line -> line != null && line.replace(" ", "").contains(ON_ERROR + "=off"));
    }

    /**
     * Called by the JVM when the agent is attached to a running program.
     *
     * @param arguments {@code key=value,...} or null
     * @throws IllegalArgumentException if the arguments make no sense
     * @throws ProfileException if the profile has a mistake
     * @throws IllegalStateException if it is too late: the program has its provider already, and the JVM asks for one only once
     */
    public static void agentmain(String arguments, Instrumentation instrumentation) {
        String refused = install(arguments, instrumentation);
        if (refused != null) {
            throw new IllegalStateException(refused);
        }
    }

    /** Returns null, or the reason why the program will not use Accel. */
    private static String install(String arguments, Instrumentation instrumentation) {
        for (Map.Entry<String, String> setting : OptionLine.parse(arguments).entrySet()) {
            String property = PREFIX + setting.getKey();
            if (System.getProperty(property) == null) {
                System.setProperty(property, setting.getValue());
            }
        }
        Wanted wanted = Wanted.fromSystem();
        String missing = missingModule();
        if (missing != null) {
            return missing;
        }
        String chosen = System.getProperty(PROVIDER_PROPERTY);
        if (chosen == null) {
            System.setProperty(PROVIDER_PROPERTY, PROVIDER);
        } else if (!chosen.equals(PROVIDER)) {
            return "-D" + PROVIDER_PROPERTY + "=" + chosen + " is set, so this JVM does not use Accel."
                    + " Remove it to let Accel carry the program's connections";
        }
        String refused = providerInUse(instrumentation);
        if (refused == null) {
            JdkChange.forChannels(instrumentation, Say.TO_USERS);
            serveUnixStreams(wanted.decidesUnixStreams());
            serveAsynchronousChannels(instrumentation);
            if (wanted.accelerates() && wanted.keepsNettyToNio()) {
                NettyTransports.takeNio(Say.TO_USERS);
            }
            if (wanted.accelerates() && wanted.servesSockets()) {
                serveSockets(instrumentation);
                JdkChange.forSockets(instrumentation, Say.TO_USERS);
            }
        }
        return refused;
    }

    /**
     * Has Unix-domain streams served unless a profile decides about them, where the JDK now treats their channels as its own. Without
     * that a program could notice the difference: the streams of {@code Channels} would wait for each other.
     */
    private static void serveUnixStreams(boolean isDecided) {
        if (!isDecided && JdkChange.areChannelsServed()) {
            System.setProperty(Profile.UNIX_STREAMS_PROPERTY, "true");
        }
    }

    /**
     * Serves asynchronous channels, unless the command line names another provider. That failure stays without a message, as it does
     * not concern the other channels.
     */
    private static void serveAsynchronousChannels(Instrumentation instrumentation) {
        if (System.getProperty(ASYNCHRONOUS_PROPERTY) != null) {
            return;
        }
        System.setProperty(ASYNCHRONOUS_PROPERTY, ASYNCHRONOUS);
        if (!ClassLoads.wasLoaded(instrumentation, ASYNCHRONOUS_HOLDER)) {
            return;
        }
        String inUse = AsynchronousChannelProvider.provider().getClass().getName();
        if (!inUse.equals(ASYNCHRONOUS)) {
            say("asynchronous channels stay those of " + inUse + ", but other channels are Accel's:"
                    + " the program had opened asynchronous channels already");
        }
    }

    /** Installs the socket factories, which load nothing of the core before the program's first socket. */
    private static void serveSockets(Instrumentation instrumentation) {
        if (AccelSockets.areOldOnesWanted()) {
            say("java.net.Socket and java.net.ServerSocket stay as they are, channels are Accel's all the same:"
                    + " -Djdk.net.usePlainSocketImpl asks for the JDK's old implementation of them");
            return;
        }
        JdkChange.forSocketFactories(instrumentation, Say.TO_USERS);
        List<String> kept = AccelSockets.install();
        if (!kept.isEmpty()) {
            say(
                    String.join(" and ", kept) + (kept.size() == 1 ? " stays as it is" : " stay as they are")
                            + ", channels are Accel's all the same: the program, or another agent, has a socket factory already");
        }
    }

    /** Returns the reason why this JVM cannot have Accel at all, or null. A program that goes on without it is better than one that fails. */
    private static String missingModule() {
        Module base = Object.class.getModule();
        boolean isReachable = ModuleLayer.boot().findModule(REACH).isPresent()
                || base.isExported(JDKS_CHANNELS, AccelAgent.class.getModule());
        return isReachable
                ? null
                : "this Java run-time image lacks the module " + REACH
                        + ", by which Accel reaches the JDK's own channels, so this JVM"
                        + " does not use Accel. Make the image with jlink --add-modules " + REACH;
    }

    /**
     * Asks for the provider only where the JVM has loaded the class that keeps it, as the question itself fixes it. (The class can be
     * loaded from an archive without being initialised; the question then gives Accel, as it should.)
     */
    private static String providerInUse(Instrumentation instrumentation) {
        if (!ClassLoads.wasLoaded(instrumentation, PROVIDER_HOLDER)) {
            return null;
        }
        String inUse = SelectorProvider.provider().getClass().getName();
        return inUse.equals(PROVIDER)
                ? null
                : "this JVM already uses the SelectorProvider " + inUse
                        + " and cannot change it. Start the program with -javaagent:accel.jar,"
                        + " before any other agent that opens channels";
    }
}
