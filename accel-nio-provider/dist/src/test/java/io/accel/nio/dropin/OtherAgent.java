// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.channels.SocketChannel;
import java.security.ProtectionDomain;
import java.util.Arrays;

/** Another agent than Accel's. Its argument says what it does before the program starts. */
public final class OtherAgent {
    private OtherAgent() {}

    public static void premain(String what, Instrumentation instrumentation)
            throws IOException, UnmodifiableClassException {
        switch (what) {
            case "idle" -> {}
            case "transforms" -> transform(instrumentation);
            case "opens" -> SocketChannel.open().close();
            case "factory" -> CarriedOnce.main(new String[] {what});
            default -> throw new IllegalArgumentException(what);
        }
    }

    /** As profilers and tracers do it: with each class that is loaded from now on, and with the channels that are there. */
    private static void transform(Instrumentation instrumentation) throws UnmodifiableClassException {
        instrumentation.addTransformer(new Same(), true);
        Class<?>[] channels = Arrays.stream(instrumentation.getAllLoadedClasses())
                .filter(loaded -> loaded.getName().startsWith("sun.nio.ch.")
                        || loaded.getName().startsWith("io.accel.")
                        || loaded.getName().startsWith("java.net."))
                .filter(instrumentation::isModifiableClass)
                .toArray(Class<?>[]::new);
        instrumentation.retransformClasses(channels);
        System.out.println("transformed " + (channels.length > 0));
    }

    /** Replaces each class by one that is the same. */
    private static final class Same implements ClassFileTransformer {
        @Override
        public byte[] transform(
                ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] classFile) {
            return classFile.clone();
        }
    }
}
