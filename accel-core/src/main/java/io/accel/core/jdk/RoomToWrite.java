package io.accel.core.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.SocketImpl;

/** Asks the kernel whether a write to a socket of the JDK's would wait, which the JDK tells only of non-blocking channels. */
final class RoomToWrite {
    private RoomToWrite() {}

    /**
     * Whether there is room.
     *
     * @param socket a channel or a {@link SocketImpl} of the JDK's own, connected
     * @return true also where this JVM lets nobody ask
     * @throws IOException if the socket is closed
     */
    static boolean now(Object socket) throws IOException {
        Handles handles = Holder.HANDLES;
        if (handles == null) {
            return true;
        }
        try {
            FileDescriptor descriptor = socket instanceof SocketImpl implementation
                    ? (FileDescriptor) handles.ofSocket.invoke(implementation)
                    : (FileDescriptor) handles.ofChannel.invoke(socket);
            if (descriptor == null || !descriptor.valid()) {
                throw new IOException("closed");
            }
            return (int) handles.poll.invoke(descriptor, (int) handles.out, 0L) != 0;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK does not say whether there is room in " + socket, e);
        }
    }

    private record Handles(MethodHandle ofChannel, MethodHandle ofSocket, MethodHandle poll, short out) {}

    private static final class Holder {
        static final Handles HANDLES = find();

        private Holder() {}

        private static Handles find() {
            try {
                IllegalAccessException refused = new IllegalAccessException("no trusted lookup");
                MethodHandles.Lookup lookup = TrustedLookup.find(refused).orElseThrow(() -> refused);
                Class<?> net = TrustedLookup.internal("sun.nio.ch.Net");
                Class<?> channel = TrustedLookup.internal("sun.nio.ch.SelChImpl");
                MethodType descriptor = MethodType.methodType(FileDescriptor.class);
                return new Handles(
                        lookup.findVirtual(channel, "getFD", descriptor),
                        lookup.findVirtual(SocketImpl.class, "getFileDescriptor", descriptor),
                        lookup.findStatic(
                                net,
                                "poll",
                                MethodType.methodType(int.class, FileDescriptor.class, int.class, long.class)),
                        (short) lookup.findStaticGetter(net, "POLLOUT", short.class)
                                .invoke());
            } catch (Throwable e) {
                System.getLogger(RoomToWrite.class.getName())
                        .log(System.Logger.Level.DEBUG, "this JVM does not say whether a socket has room", e);
                return null;
            }
        }
    }
}
