// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.Socket;
import java.net.SocketImpl;

/**
 * The implementations of {@link Socket} and {@link java.net.ServerSocket} that the JDK would use without a factory,
 * and their protected members.
 */
final class KernelSockets {
    private KernelSockets() {}

    static SocketImpl client(boolean asksForProxies) {
        Handles handles = handles();
        try {
            SocketImpl platform = (SocketImpl) handles.platform.invoke(false);
            return asksForProxies ? (SocketImpl) handles.socks.invoke(platform) : platform;
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static SocketImpl server() {
        try {
            return (SocketImpl) handles().platform.invoke(true);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Makes the implementation of a new socket one of datagrams, as the deprecated constructors of {@link Socket} do. */
    static void createForDatagrams(Socket socket) throws IOException {
        Handles handles = handles();
        try {
            handles.create.invoke((SocketImpl) handles.implementation.invoke(socket), false);
            handles.created.tell(socket);
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static SocketImpl of(Socket socket) {
        try {
            return (SocketImpl) handles().implementation.invoke(socket);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /**
     * The implementation that does a socket's work: the socket's own, or the delegate of an implementation for
     * proxies.
     */
    static SocketImpl platform(SocketImpl socket) {
        Handles handles = handles();
        try {
            return handles.proxies.isInstance(socket) ? (SocketImpl) handles.delegate.invoke(socket) : socket;
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static InputStream input(SocketImpl socket) throws IOException {
        try {
            return (InputStream) handles().input.invoke(socket);
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static OutputStream output(SocketImpl socket) throws IOException {
        try {
            return (OutputStream) handles().output.invoke(socket);
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static Handles handles() {
        if (Holder.HANDLES == null) {
            throw new IllegalStateException(
                    "Accel cannot reach the JDK's sockets on Java " + Runtime.version()
                            + ". A run-time image made by jlink must contain the module jdk.unsupported; or start the"
                            + " agent with sockets=false",
                    Holder.FAILURE);
        }
        return Holder.HANDLES;
    }

    private static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
    }

    /**
     * Tells a new socket that its implementation is created.
     *
     * @param setter of the field that says so
     * @param isFlag whether the field is a flag; newer JDKs keep bits, of which a new socket has none and this is the first
     */
    private record Created(MethodHandle setter, boolean isFlag) {
        static Created of(MethodHandles.Lookup lookup) throws ReflectiveOperationException {
            try {
                return new Created(lookup.findSetter(Socket.class, "created", boolean.class), true);
            } catch (NoSuchFieldException e) {
                return new Created(lookup.findSetter(Socket.class, "state", int.class), false);
            }
        }

        /** Binds no argument beforehand: that makes a class, though hardly a program has sockets of datagrams. */
        void tell(Socket socket) throws Throwable {
            if (isFlag) {
                setter.invokeExact(socket, true);
            } else {
                setter.invokeExact(socket, 1);
            }
        }
    }

    private record Handles(
            MethodHandle platform,
            MethodHandle socks,
            MethodHandle implementation,
            MethodHandle create,
            Created created,
            Class<?> proxies,
            MethodHandle delegate,
            MethodHandle input,
            MethodHandle output) {}

    private static final class Holder {
        static final Handles HANDLES;
        static final Throwable FAILURE;

        static {
            Handles handles = null;
            Throwable failure = null;
            try {
                MethodHandles.Lookup lookup = TrustedLookup.orRefused("no trusted lookup");
                Class<?> platform = TrustedLookup.internal("sun.nio.ch.NioSocketImpl");
                Class<?> socks = TrustedLookup.internal("java.net.SocksSocketImpl");
                Class<?> proxies = TrustedLookup.internal("java.net.DelegatingSocketImpl");
                handles = new Handles(
                        lookup.findConstructor(platform, MethodType.methodType(void.class, boolean.class)),
                        lookup.findConstructor(socks, MethodType.methodType(void.class, SocketImpl.class)),
                        lookup.findGetter(Socket.class, "impl", SocketImpl.class),
                        lookup.findVirtual(
                                SocketImpl.class, "create", MethodType.methodType(void.class, boolean.class)),
                        Created.of(lookup),
                        proxies,
                        lookup.findGetter(proxies, "delegate", SocketImpl.class),
                        lookup.findVirtual(
                                SocketImpl.class, "getInputStream", MethodType.methodType(InputStream.class)),
                        lookup.findVirtual(
                                SocketImpl.class, "getOutputStream", MethodType.methodType(OutputStream.class)));
            } catch (ReflectiveOperationException | RuntimeException e) {
                failure = e;
            }
            HANDLES = handles;
            FAILURE = failure;
        }
    }
}
