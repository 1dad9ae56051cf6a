// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.net;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.runtime.AccelRuntime;
import io.accel.core.socket.Accelerator;
import io.accel.nio.AccelSelectorProvider;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.function.Predicate;

/** Makes the implementations of sockets. Loads nothing of the core before the program's first socket. */
public final class AccelSockets implements SocketImplFactory, Predicate<SocketImplFactory> {
    private static final String OLD_ONES = "jdk.net.usePlainSocketImpl";
    private static final int FIRST_WITHOUT_OLD_ONES = 18;

    /** Whether the factories were installed, as far as they could be. Guarded by this class. */
    private static boolean isInstalled;

    private final boolean server;

    private AccelSockets(boolean server) {
        this.server = server;
    }

    /**
     * Makes every {@link Socket} and {@link ServerSocket} of this JVM Accel's from now on, unless the program, or another agent, has a
     * factory already. A second call does nothing, as a program may be given the agent twice.
     *
     * <p>A program with a factory of sockets keeps its listeners as well: what these accept is made by that factory.
     *
     * @return the names of the classes that stay as they are
     */
    @SuppressWarnings("deprecation") // there is no other way, and the methods will stay
    public static synchronized List<String> install() {
        if (isInstalled) {
            return List.of();
        }
        isInstalled = true;
        try {
            Socket.setSocketImplFactory(new AccelSockets(false));
        } catch (IOException e) {
            return List.of(Socket.class.getName(), ServerSocket.class.getName());
        }
        try {
            ServerSocket.setSocketFactory(new AccelSockets(true));
        } catch (IOException e) {
            return List.of(ServerSocket.class.getName());
        }
        return List.of();
    }

    /** Whether the JVM is to use the JDK's old implementation of sockets, which has not what Accel needs of the new one. */
    public static boolean areOldOnesWanted() {
        String wanted = Runtime.version().feature() < FIRST_WITHOUT_OLD_ONES ? System.getProperty(OLD_ONES) : null;
        return wanted != null && !wanted.equalsIgnoreCase("false");
    }

    /**
     * Whether this gives its place to what the program sets as its factory, which then makes all further sockets. Called by the JDK, as
     * the agent has changed it, before it would refuse a second factory.
     *
     * @param ofProgram the program's factory; null for none, which changes nothing
     * @throws SecurityException if the program may not set a factory
     */
    @Override
    @SuppressWarnings("removal") // JDK 17 to 23 have security managers
    public boolean test(SocketImplFactory ofProgram) {
        SecurityManager security = System.getSecurityManager();
        if (security != null) {
            security.checkSetFactory();
        }
        return ofProgram != null;
    }

    @Override
    public SocketImpl createSocketImpl() {
        Accelerator accelerator = Holder.ACCELERATOR;
        if (accelerator == null) {
            return server ? JdkAccess.kernelServerSocket() : JdkAccess.kernelSocket(Proxies.mayBeUsedByNewSocket());
        }
        return server
                ? new AccelServerSocketImpl(accelerator)
                : new AccelSocketImpl(accelerator, Proxies.mayBeUsedByNewSocket());
    }

    private static final class Holder {
        /** The accelerator; null if sockets are to stay the JDK's. */
        static final Accelerator ACCELERATOR = find();

        private Holder() {}

        private static Accelerator find() {
            // The JVM makes its provider with the profile of this process.
            if (SelectorProvider.provider() instanceof AccelSelectorProvider) {
                AccelRuntime runtime = AccelRuntime.get();
                if (runtime.isOn() && runtime.accelerator().servesSockets()) {
                    return runtime.accelerator();
                }
            }
            return null;
        }
    }
}
