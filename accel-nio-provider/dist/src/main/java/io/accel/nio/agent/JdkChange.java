// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.function.Consumer;

/**
 * A class of the JDK's that the agent changes, because it treats the JDK's own channels differently from all others. The change has it
 * treat Accel's channels like the JDK's.
 *
 * <p>The class is loaded here, so that the JVM asks for the change of this one class and of no other. A class that is loaded already
 * is redefined, which adds neither methods nor fields. Either way the change outlasts later changes of the class by other agents.
 */
final class JdkChange {
    /**
     * Lets {@code Channels.newInputStream} and {@code newOutputStream} of one channel work at the same time, as the JDK does for its
     * own channels since JDK 19. In older JDKs the streams of every channel wait for each other, and these JDKs stay as they are.
     */
    private static final JdkChange CHANNEL_STREAMS = new JdkChange(
            "sun.nio.ch.ChannelInputStream",
            19,
            Patch.STREAMS,
            "Channels.newInputStream and Channels.newOutputStream of one SocketChannel wait for each other. Where one thread"
                    + " reads and another one writes, use the streams of channel.socket()");

    /** Lets {@code FileChannel.transferTo} send files through the kernel with {@code sendfile}, and read them into the ring of a link. */
    private static final JdkChange FILE_TRANSFERS = new JdkChange(
            "sun.nio.ch.FileChannelImpl",
            17,
            Patch.TRANSFERS,
            "FileChannel.transferTo sends files in pieces of 8 KiB. To map a file and write that is faster");

    /** Puts Accel's channels under {@code java.net.DatagramSocket}. */
    private static final JdkChange DATAGRAM_SOCKETS = new JdkChange(
            "sun.nio.ch.SelectorProviderImpl",
            17,
            Patch.DATAGRAMS,
            "java.net.DatagramSocket stays the JDK's. Use java.nio.channels.DatagramChannel");

    private static final String OTHER_FACTORIES =
            "a program that sets a socket factory of its own is refused. Start it with sockets=false";

    /** Lets a program set its own factory of sockets in place of Accel's. */
    private static final JdkChange SOCKET_FACTORY =
            new JdkChange("java.net.Socket", 17, Patch.FACTORY, OTHER_FACTORIES);

    /** As {@link #SOCKET_FACTORY}, for listeners. */
    private static final JdkChange SERVER_SOCKET_FACTORY =
            new JdkChange("java.net.ServerSocket", 17, Patch.SERVER_FACTORY, OTHER_FACTORIES);

    /** What is done to a class file. Names, and no lambdas: linking the first takes milliseconds of a JVM's start. */
    private enum Patch {
        STREAMS,
        TRANSFERS,
        DATAGRAMS,
        FACTORY,
        SERVER_FACTORY;

        byte[] apply(byte[] original) {
            if (this == STREAMS) {
                return ChannelInputPatch.apply(original);
            } else if (this == TRANSFERS) {
                return FileTransferPatch.apply(original);
            } else if (this == DATAGRAMS) {
                return DatagramSocketPatch.apply(original);
            }
            return this == FACTORY
                    ? SocketFactoryPatch.applyToSocket(original)
                    : SocketFactoryPatch.applyToServerSocket(original);
        }
    }

    private static final List<JdkChange> OF_CHANNELS = List.of(CHANNEL_STREAMS, FILE_TRANSFERS);
    private static final List<JdkChange> OF_SOCKETS = List.of(DATAGRAM_SOCKETS);
    private static final List<JdkChange> OF_SOCKET_FACTORIES = List.of(SOCKET_FACTORY, SERVER_SOCKET_FACTORY);

    private final String className;
    private final int firstJdk;
    private final Patch change;
    private final String otherwise;

    /** Whether the change was made or tried. Guarded by this. */
    private boolean made;
    /** Whether the class stays as it is although there is something to change. Guarded by this. */
    private boolean failed;

    /**
     * Makes all changes for channels that this JDK needs, once in a process.
     *
     * @param failed takes a line for each class that stays as it is, with the reason and the consequence
     */
    static void forChannels(Instrumentation instrumentation, Consumer<String> failed) {
        make(OF_CHANNELS, instrumentation, failed);
    }

    /** Whether the JDK treats Accel's channels as its own after {@link #forChannels}: no change has failed. */
    static boolean areChannelsServed() {
        for (JdkChange each : OF_CHANNELS) {
            if (each.hasFailed()) {
                return false;
            }
        }
        return true;
    }

    private synchronized boolean hasFailed() {
        return failed;
    }

    /** Does what {@link #forChannels} does, for the sockets of {@code java.net}. */
    static void forSockets(Instrumentation instrumentation, Consumer<String> failed) {
        make(OF_SOCKETS, instrumentation, failed);
    }

    /** Does what {@link #forChannels} does, for the places of the socket factories. */
    static void forSocketFactories(Instrumentation instrumentation, Consumer<String> failed) {
        make(OF_SOCKET_FACTORIES, instrumentation, failed);
    }

    private static void make(List<JdkChange> changes, Instrumentation instrumentation, Consumer<String> failed) {
        for (JdkChange each : changes) {
            String failure = each.make(instrumentation);
            if (failure != null) {
                failed.accept(failure);
            }
        }
    }

    /**
     * Describes a change.
     *
     * @param className the class
     * @param firstJdk the first JDK in which there is something to change
     * @param change turns the class file into another one, or throws an IllegalArgumentException that names the unknown part
     * @param otherwise how Accel's channels are treated without the change, and what a program can do
     */
    private JdkChange(String className, int firstJdk, Patch change, String otherwise) {
        this.className = className;
        this.firstJdk = firstJdk;
        this.change = change;
        this.otherwise = otherwise;
    }

    /** Makes the change. Returns null, or a message to print. */
    private synchronized String make(Instrumentation instrumentation) {
        if (made || Runtime.version().feature() < firstJdk) {
            return null;
        }
        made = true;
        String failure = tryToMake(instrumentation);
        failed = failure != null;
        return failure;
    }

    private String tryToMake(Instrumentation instrumentation) {
        try {
            Transformer transformer = new Transformer();
            Class<?> loaded = load(instrumentation, transformer);
            if (!transformer.asked) {
                instrumentation.redefineClasses(new ClassDefinition(loaded, change.apply(classFile())));
            }
            return transformer.failure == null ? null : failure(transformer.failure);
        } catch (ReflectiveOperationException
                | UnmodifiableClassException
                | IOException
                | RuntimeException
                | LinkageError e) {
            return failure(e);
        }
    }

    private Class<?> load(Instrumentation instrumentation, Transformer transformer) throws ClassNotFoundException {
        instrumentation.addTransformer(transformer);
        try {
            return Class.forName(className, false, null);
        } finally {
            instrumentation.removeTransformer(transformer);
        }
    }

    private String resource() {
        return className.replace('.', '/');
    }

    private byte[] classFile() throws IOException {
        String file = resource() + ".class";
        try (InputStream in = ClassLoader.getSystemResourceAsStream(file)) {
            if (in == null) {
                throw new IOException("there is no " + file);
            }
            return in.readAllBytes();
        }
    }

    private String failure(Throwable e) {
        String why = e instanceof IllegalArgumentException ? e.getMessage() : e.toString();
        return "the JDK's class " + className + " stays as it is (" + why + "), so " + otherwise;
    }

    /** Makes the change if the class is loaded while this is registered with the JVM, which calls it under a lock of its own. */
    private final class Transformer implements ClassFileTransformer {
        private volatile boolean asked;
        private volatile RuntimeException failure;

        @Override
        public byte[] transform(
                Module module,
                ClassLoader loader,
                String name,
                Class<?> redefined,
                ProtectionDomain domain,
                byte[] classFile) {
            if (loader != null || name == null || !name.equals(resource())) {
                return null;
            }
            asked = true;
            try {
                return change.apply(classFile);
            } catch (RuntimeException e) {
                failure = e;
                return null;
            }
        }
    }
}
