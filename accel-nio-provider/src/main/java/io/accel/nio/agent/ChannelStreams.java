package io.accel.nio.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;

/**
 * Lets {@code Channels.newInputStream} and {@code newOutputStream} of one of Accel's socket channels work at the same time, as
 * the JDK does for its own channels since JDK 19. Older JDKs let the streams of every channel wait for each other, and stay as
 * they are.
 *
 * <p>The class is loaded here, so that the JVM asks for the change of this one class and of no other: a transformer that stayed would
 * be shown each class of the program. If it is loaded already it is redefined, which adds neither method nor field. Either way the
 * change outlasts what other agents do to the class later.
 */
final class ChannelStreams {
    private static final String STREAM = "sun.nio.ch.ChannelInputStream";
    private static final int FIRST_JDK = 19;

    private static boolean done;

    private ChannelStreams() {}

    /**
     * Changes the JDK's class, once in a process.
     *
     * @return null, or in a line why the streams wait for each other all the same, and what to do
     */
    static synchronized String release(Instrumentation instrumentation) {
        if (done || Runtime.version().feature() < FIRST_JDK) {
            return null;
        }
        done = true;
        Change change = new Change();
        try {
            Class<?> stream = load(instrumentation, change);
            if (!change.asked) {
                instrumentation.redefineClasses(new ClassDefinition(stream, ChannelInputPatch.apply(classFile())));
            }
            return change.failure == null ? null : failure(change.failure);
        } catch (ReflectiveOperationException
                | UnmodifiableClassException
                | IOException
                | RuntimeException
                | LinkageError e) {
            return failure(e);
        }
    }

    private static Class<?> load(Instrumentation instrumentation, Change change) throws ClassNotFoundException {
        instrumentation.addTransformer(change);
        try {
            return Class.forName(STREAM, false, null);
        } finally {
            instrumentation.removeTransformer(change);
        }
    }

    private static byte[] classFile() throws IOException {
        String resource = STREAM.replace('.', '/') + ".class";
        try (InputStream in = ClassLoader.getSystemResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("there is no " + resource);
            }
            return in.readAllBytes();
        }
    }

    private static String failure(Throwable e) {
        String why = e instanceof IllegalArgumentException ? e.getMessage() : e.toString();
        return "the JDK's class " + STREAM + " stays as it is (" + why + "), so Channels.newInputStream and"
                + " Channels.newOutputStream of one SocketChannel wait for each other. Where one thread reads and another"
                + " one writes, use the streams of channel.socket()";
    }

    /** Makes the change if the class is loaded while the JVM knows of this, which it then asks under a lock of its own. */
    private static final class Change implements ClassFileTransformer {
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
            if (loader != null || name == null || !name.equals(STREAM.replace('.', '/'))) {
                return null;
            }
            asked = true;
            try {
                return ChannelInputPatch.apply(classFile);
            } catch (RuntimeException e) {
                failure = e;
                return null;
            }
        }
    }
}
