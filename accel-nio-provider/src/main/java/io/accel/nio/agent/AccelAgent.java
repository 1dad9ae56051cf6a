package io.accel.nio.agent;

import io.accel.nio.net.AccelSockets;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.Map;

/**
 * Makes Accel the JVM's {@code SelectorProvider} before the program starts.
 *
 * <p>The JVM has already put the jar on the class path by the time the agent runs (it does so for every agent). The agent
 * turns its arguments into {@code accel.*} system properties and names Accel as the provider. It exports nothing of the JDK's:
 * other libraries choose differently when they find the JDK's channels open to them. What the command line says with {@code -D} has precedence over all of it.
 */
public final class AccelAgent {
    /** The property by which the JDK finds its provider. */
    static final String PROVIDER_PROPERTY = "java.nio.channels.spi.SelectorProvider";

    /** By name: loading the class belongs to the program's first channel, not to the start of the JVM. */
    static final String PROVIDER = "io.accel.nio.AccelSelectorProvider";

    /** Sockets are served unless it is {@code false}. */
    private static final String SOCKETS_PROPERTY = "accel.sockets";

    private static final String PROVIDER_HOLDER = PROVIDER_PROPERTY + "$Holder";

    private AccelAgent() {}

    /**
     * Called by the JVM for {@code -javaagent}.
     *
     * @param arguments {@code key=value,...} or null
     * @throws IllegalArgumentException if the arguments make no sense; the JVM then prints it and ends
     */
    public static void premain(String arguments, Instrumentation instrumentation) {
        String refused = install(arguments, instrumentation);
        if (refused != null) {
            System.err.println("accel: " + refused);
        }
    }

    /**
     * Called by the JVM when the agent is attached to a running program.
     *
     * @param arguments {@code key=value,...} or null
     * @throws IllegalArgumentException if the arguments make no sense
     * @throws IllegalStateException if it is too late: the program has its provider already, and the JVM asks once
     */
    public static void agentmain(String arguments, Instrumentation instrumentation) {
        String refused = install(arguments, instrumentation);
        if (refused != null) {
            throw new IllegalStateException(refused);
        }
    }

    /** Returns null, or why the program will not use Accel. */
    private static String install(String arguments, Instrumentation instrumentation) {
        for (Map.Entry<String, String> setting : AgentArguments.parse(arguments).entrySet()) {
            if (System.getProperty(setting.getKey()) == null) {
                System.setProperty(setting.getKey(), setting.getValue());
            }
        }
        String chosen = System.getProperty(PROVIDER_PROPERTY);
        if (chosen == null) {
            System.setProperty(PROVIDER_PROPERTY, PROVIDER);
        } else if (!chosen.equals(PROVIDER)) {
            return "-D" + PROVIDER_PROPERTY + "=" + chosen + " is set, so this JVM does not use Accel."
                    + " Remove it to let Accel carry the program's connections";
        }
        String refused = providerInUse(instrumentation);
        if (refused == null && !"false".equalsIgnoreCase(System.getProperty(SOCKETS_PROPERTY))) {
            serveSockets();
        }
        return refused;
    }

    /** The factory loads nothing of the core before the program's first socket. */
    private static void serveSockets() {
        try {
            AccelSockets.install();
        } catch (IOException e) {
            System.err.println(
                    "accel: java.net.Socket stays the JDK's, channels are Accel's all the same: the program, or"
                            + " another agent, has a socket factory already (" + e.getMessage() + ")");
        }
    }

    /**
     * Asks for the provider only where the JVM has loaded the class that keeps it, for asking is what fixes it. (The
     * class can be loaded without being initialised, from an archive; then asking gives Accel, as it should.)
     */
    private static String providerInUse(Instrumentation instrumentation) {
        boolean asked = Arrays.stream(instrumentation.getAllLoadedClasses())
                .anyMatch(loaded -> loaded.getName().equals(PROVIDER_HOLDER));
        if (!asked) {
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
