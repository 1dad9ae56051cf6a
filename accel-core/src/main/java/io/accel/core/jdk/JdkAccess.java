// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import io.accel.core.daemon.Privileged;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketImpl;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Accel's access to the inside of the JDK: its {@link SelectorProvider} and {@link AsynchronousChannelProvider},
 * freeing a mapping, a channel around any file descriptor, the descriptor in a channel, and the end of a close that a
 * selector has put off.
 *
 * <p>An export of {@code sun.nio.ch} (by the agent or the command line) is used where there is one; otherwise a
 * {@link TrustedLookup} is. This works on JDK 17 to 25 without any flag. It never calls {@link
 * SelectorProvider#provider()}, which is likely to be waiting for the caller.
 *
 * <p>All methods may be called by any thread.
 */
public final class JdkAccess {
    /** The flag that helps where nothing else does. */
    static final String FLAG = "--add-exports java.base/sun.nio.ch=ALL-UNNAMED";

    private JdkAccess() {}

    /**
     * The provider that the JDK would use by itself, whose channels and selectors are the kernel's. It is always the
     * same object.
     *
     * @throws IllegalStateException if the JVM keeps it closed; the message names the flag to add
     */
    public static SelectorProvider kernelProvider() {
        return Kernel.OWN.orFail("SelectorProvider", ", which it needs for kernel sockets");
    }

    /**
     * The provider of asynchronous channels that the JDK would use by itself. It is always the same object.
     *
     * @throws IllegalStateException if the JVM keeps it closed; the message names the flag to add
     */
    public static AsynchronousChannelProvider kernelAsynchronousProvider() {
        return KernelAsynchronous.OWN.orFail("AsynchronousChannelProvider", "");
    }

    /**
     * Frees a mapping now instead of when the collector finds the buffer. A second call does nothing.
     *
     * <p>The caller guarantees that no thread can touch the buffer, its duplicates or slices during this call or after
     * it: such an access reads or writes whatever lies at that address by then, or ends the JVM.
     *
     * @param buffer the buffer that {@code FileChannel.map} returned
     * @throws IllegalArgumentException if {@code buffer} is a slice or duplicate
     * @throws IllegalStateException if the JVM offers no way to do it; the collector then frees the mapping
     */
    public static void unmap(MappedByteBuffer buffer) {
        Objects.requireNonNull(buffer, "buffer");
        try {
            Unmapper.handle().invokeExact(buffer);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("cannot unmap " + buffer, e);
        }
    }

    /**
     * Makes a file descriptor selectable: a channel that the kernel provider's selectors accept, for {@code OP_READ}.
     * The descriptor may be of any kind that epoll can watch. Closing the channel closes the descriptor.
     *
     * @param descriptor open and readable, and nobody else's to close: a stream closes the descriptor that it opened
     * again, or the collector does, and by then its number may be another file's
     * @throws IOException if the JDK refuses the descriptor
     * @throws IllegalStateException if the JVM keeps the JDK's channel closed
     */
    public static SelectableChannel selectable(FileDescriptor descriptor) throws IOException {
        Objects.requireNonNull(descriptor, "descriptor");
        try {
            Object channel = SourceChannel.constructor().invoke(kernelProvider(), descriptor);
            return (SelectableChannel) channel;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK makes no channel of this file descriptor", e);
        }
    }

    /**
     * As {@link #selectable(FileDescriptor)}, for a descriptor that native code has opened. The channel owns it from
     * now on: a caller that needs one of its own duplicates it first.
     *
     * @param descriptor its number, open and readable; the caller's to close if this throws
     * @throws IOException if the JDK refuses the descriptor
     * @throws IllegalStateException if the JVM keeps what this needs closed
     */
    public static SelectableChannel selectable(int descriptor) throws IOException {
        FileDescriptor made;
        try {
            made = (FileDescriptor) Descriptors.maker().invokeExact(descriptor);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK makes no FileDescriptor of " + descriptor, e);
        }
        return selectable(made);
    }

    /**
     * Whether a write of one byte would not wait, whichever mode the socket is in. If this JVM does not allow the
     * question, the answer is no.
     *
     * @param socket a channel or a {@link SocketImpl} of the JDK's own, connected
     * @throws IOException if it is closed
     */
    public static boolean hasRoomToWrite(Object socket) throws IOException {
        return SocketPoll.hasRoom(socket);
    }

    /**
     * Whether the peer has closed or ended its sending, or the connection is reset; bytes may be left to read. False
     * where this JVM does not allow the question.
     *
     * @param socket a channel or a {@link SocketImpl} of the JDK's own, connected
     * @throws IOException if it is closed
     */
    public static boolean hasEnded(Object socket) throws IOException {
        return SocketPoll.hasEnded(socket);
    }

    /**
     * Whether nothing goes either way any more: the connection has failed, or both ends have ended their sending. False where this JVM
     * does not allow the question.
     *
     * @param socket a channel or a {@link SocketImpl} of the JDK's own, connected
     * @throws IOException if it is closed
     */
    public static boolean hasHungUp(Object socket) throws IOException {
        return SocketPoll.hasHungUp(socket);
    }

    /**
     * Whether the connection {@linkplain #hasHungUp has hung up} with an error that nobody has been told yet. False where this JVM does not
     * allow the question.
     *
     * @param socket as there
     * @throws IOException if it is closed
     */
    public static boolean hasFailed(Object socket) throws IOException {
        return SocketPoll.hasFailed(socket);
    }

    /**
     * Reads the bytes that have come to a socket although its input was shut down. It never waits. Nobody else may
     * read from the socket meanwhile.
     *
     * @param socket a channel or a {@link SocketImpl} of the JDK's own, whose input was shut down before
     * @param dst the destination
     * @return how many bytes; 0 if there are none, or where this JVM does not allow reading them
     * @throws IOException if it is closed or reset
     */
    public static int readShut(Object socket, ByteBuffer dst) throws IOException {
        return ShutInput.read(socket, dst);
    }

    /**
     * Makes a channel, in blocking mode, around a second descriptor of a socket, which is the same connection with
     * the same options. The connection lives until both are closed; the first close ends nothing, unless the JDK
     * shuts down the output before it, from which {@code SO_LINGER} 0 keeps it.
     *
     * @param socket a channel or a {@link SocketImpl} of the JDK's own, connected by TCP, which nobody closes meanwhile
     * @param remote the address of its peer
     * @return the channel, which the caller closes; null where this JVM does not allow making one
     * @throws IOException if the socket is closed, or there is no descriptor left
     */
    public static SocketChannel duplicate(Object socket, InetSocketAddress remote) throws IOException {
        return DuplicateSocket.of(socket, remote);
    }

    /**
     * The implementation that the JDK gives a {@link java.net.Socket} for which no factory has one.
     *
     * @param asksForProxies whether it asks the default {@link java.net.ProxySelector} for a SOCKS proxy when it connects, as that of a
     *     socket made with {@link java.net.Proxy#NO_PROXY} does not
     * @throws IllegalStateException if the JVM keeps it closed
     */
    public static SocketImpl kernelSocket(boolean asksForProxies) {
        return KernelSockets.client(asksForProxies);
    }

    /**
     * The implementation that the JDK gives a {@link java.net.ServerSocket} for which no factory has one.
     *
     * @throws IllegalStateException if the JVM keeps it closed
     */
    public static SocketImpl kernelServerSocket() {
        return KernelSockets.server();
    }

    /**
     * Makes a socket one of datagrams, as {@code new Socket(host, port, false)} does before it connects.
     *
     * @param socket a socket that nothing was done with, whose implementation is {@link #kernelSocket}
     * @throws IllegalStateException if the JVM keeps it closed
     */
    public static void createForDatagrams(Socket socket) throws IOException {
        KernelSockets.createForDatagrams(socket);
    }

    /**
     * The implementation of a socket.
     *
     * @throws IllegalStateException if the JVM keeps it closed
     */
    public static SocketImpl implementation(Socket socket) {
        return KernelSockets.of(socket);
    }

    /** Calls {@code SocketImpl.getInputStream()}, which is protected. */
    public static InputStream input(SocketImpl socket) throws IOException {
        return KernelSockets.input(socket);
    }

    /** Calls {@code SocketImpl.getOutputStream()}, which is protected. */
    public static OutputStream output(SocketImpl socket) throws IOException {
        return KernelSockets.output(socket);
    }

    /** Whether this JVM answers what {@link #peerProcess} and {@link #available} ask. */
    public static boolean knowsUnixSockets() {
        return UnixSockets.areKnown();
    }

    /**
     * The process at the other end of a Unix-domain channel, as the kernel recorded it: for the end that connected, the
     * process that listened; for the end that accepted, the process that connected.
     *
     * @param channel a channel of the JDK's own, connected
     * @return its number in this process's namespace; 0 if it is not in that, or where this JVM does not allow the question
     * @throws IOException if it is closed
     */
    public static int peerProcess(SocketChannel channel) throws IOException {
        return UnixSockets.peerProcess(channel);
    }

    /** The answer of {@link #peerUser} where this JVM does not allow the question. */
    public static final long UNKNOWN_USER = -1;

    /**
     * The user at the other end of a Unix-domain channel, as the kernel recorded it. No name is looked up, so the answer comes at once.
     *
     * @param channel a channel of the JDK's own, connected
     * @return the user's number; {@link #UNKNOWN_USER} where this JVM does not allow the question
     * @throws IOException if it is closed
     */
    public static long peerUser(SocketChannel channel) throws IOException {
        return PeerUsers.of(channel);
    }

    /**
     * How many bytes a read of a Unix-domain channel would get without waiting.
     *
     * @param channel a channel of the JDK's own, connected
     * @throws IOException if it is closed, or this JVM does not allow the question
     */
    public static int available(SocketChannel channel) throws IOException {
        return UnixSockets.available(channel);
    }

    /**
     * Opens a Unix-domain channel of the JDK's own that names another provider, as the JDK's channels name the
     * default one. Where the JVM keeps the JDK's channels closed, the channel names the JDK's provider.
     *
     * @param provider the provider that it names
     * @throws IOException if it cannot be opened
     * @throws UnsupportedOperationException if this machine has no such sockets
     */
    public static SocketChannel openUnixSocket(SelectorProvider provider) throws IOException {
        return UnixChannels.SOCKET == null
                ? kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX)
                : (SocketChannel) open(UnixChannels.SOCKET, provider);
    }

    /**
     * As {@link #openUnixSocket}, for a listener.
     *
     * @param provider the provider that it names
     * @throws IOException if it cannot be opened
     * @throws UnsupportedOperationException if this machine has no such sockets
     */
    public static ServerSocketChannel openUnixListener(SelectorProvider provider) throws IOException {
        return UnixChannels.SERVER == null
                ? kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX)
                : (ServerSocketChannel) open(UnixChannels.SERVER, provider);
    }

    /**
     * Opens a datagram channel of the JDK's own that no interrupt closes, as the JDK puts under a {@link
     * java.net.DatagramSocket}.
     *
     * @return the channel, of the {@link #kernelProvider()}; null where this JVM does not allow making one
     * @throws IOException if it cannot be opened
     */
    public static DatagramChannel openUninterruptibleDatagrams() throws IOException {
        MethodHandle constructor = UninterruptibleDatagrams.CONSTRUCTOR;
        if (constructor == null) {
            return null;
        }
        try {
            return (DatagramChannel) constructor.invokeExact(kernelProvider(), false);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK opens no datagram channel", e);
        }
    }

    private static Object open(MethodHandle constructor, SelectorProvider provider) throws IOException {
        try {
            return constructor.invoke(provider, (ProtocolFamily) StandardProtocolFamily.UNIX);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK opens no Unix-domain channel", e);
        }
    }

    /**
     * Whether a channel is one of the JDK's own, which the kernel provider's selectors accept, whichever provider it
     * names.
     *
     * @throws IllegalStateException if the JVM keeps the JDK's channels closed
     */
    public static boolean isKernels(SelectableChannel channel) {
        return FinishedClose.selectable().isInstance(channel);
    }

    /**
     * Closes the descriptor of a channel of the kernel provider that was closed while registered with a selector, and
     * is registered with none any more. The JDK's selectors do that when they drop a channel's last key; other code
     * that drops a channel's last key calls this. A second call does nothing.
     *
     * @param channel closed, and made by the {@link #kernelProvider()}
     * @throws IOException if closing the descriptor fails
     * @throws IllegalStateException if the JVM offers no way to do it
     */
    public static void finishClose(SelectableChannel channel) throws IOException {
        Objects.requireNonNull(channel, "channel");
        try {
            FinishedClose.handle().invokeExact(channel);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK does not finish the close of " + channel, e);
        }
    }

    private static final class Kernel {
        static final Own<SelectorProvider> OWN =
                new Own<>(SelectorProvider.class, "sun.nio.ch.DefaultSelectorProvider", "get");

        private Kernel() {}
    }

    private static final class KernelAsynchronous {
        static final Own<AsynchronousChannelProvider> OWN =
                new Own<>(AsynchronousChannelProvider.class, "sun.nio.ch.DefaultAsynchronousChannelProvider", "create");

        private KernelAsynchronous() {}
    }

    /**
     * A provider of the JDK's own, or the failure to get it; immutable once it is made. It is its own action: linking a lambda takes
     * milliseconds while a process starts, and a class more does, too.
     */
    private static final class Own<T> implements Supplier<T> {
        private final Class<T> kind;
        private final String factory;
        private final String method;
        /** Null if it cannot be had. */
        private final T provider;
        /** Why it cannot; null if it can. */
        private Throwable failure;

        /** Takes the provider that a method of one of the JDK's factories returns. */
        Own(Class<T> kind, String factory, String method) {
            this.kind = kind;
            this.factory = factory;
            this.method = method;
            this.provider = Privileged.get(this);
        }

        /** Finds the provider; null, with the failure kept, if it cannot be had. */
        @Override
        public T get() {
            try {
                Class<?> type = Class.forName(factory);
                MethodHandle get = TrustedLookup.orPlain(type).unreflect(type.getMethod(method));
                return kind.cast((Object) get.invoke());
            } catch (Throwable e) {
                failure = e;
                return null;
            }
        }

        T orFail(String name, String use) {
            if (provider == null) {
                throw new IllegalStateException(
                        "Accel cannot reach the JDK's own " + name + " on Java " + Runtime.version() + use
                                + ". Add this to the java command: " + FLAG,
                        failure);
            }
            return provider;
        }
    }
}
