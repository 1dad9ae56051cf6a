// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import io.accel.core.daemon.Privileged;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.BufferUnderflowException;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.function.Consumer;

/**
 * Has a program's Netty take NIO, whose channels are Accel's, where it would take epoll, kqueue or io_uring by itself.
 *
 * <p>Netty, and each framework on it, asks a native transport whether it is available, and takes NIO otherwise. The transport is not
 * available where the system property {@code io.netty.transport.noNative} is true. It reads the property when its class is
 * initialised, under a name that is relocated with the class, such as {@code io.grpc.netty.shaded.io.netty.transport.noNative}. So
 * this transformer looks at the classes that the program loads. When it finds the class of such a transport, it reads the property's
 * name from the class's constants, and sets the property. A value that is set already is the user's, and stays.
 *
 * <p>No class is changed. Any thread that loads a class calls this.
 */
final class NettyTransports implements ClassFileTransformer {
    /** The endings of the names of the classes that tell whether a transport is available, in Netty 4.1 and 4.2. */
    private static final List<String> NAMES = List.of(
            "/channel/epoll/Epoll", "/channel/kqueue/KQueue", "/channel/uring/IoUring", "/channel/uring/IOUring");

    private static final String PROPERTY = ".transport.noNative";

    private final Consumer<String> say;

    private NettyTransports(Consumer<String> say) {
        this.say = say;
    }

    /**
     * Begins to look at the classes that are loaded from now on.
     *
     * @param say takes a line for each Netty that takes NIO
     */
    static void takeNio(Instrumentation instrumentation, Consumer<String> say) {
        instrumentation.addTransformer(new NettyTransports(say));
    }

    /** Changes nothing. */
    @Override
    public byte[] transform(
            Module module,
            ClassLoader loader,
            String name,
            Class<?> redefined,
            ProtectionDomain domain,
            byte[] classFile) {
        if (name != null && redefined == null && isTransport(name)) {
            refuse(name, propertyOf(classFile));
        }
        return null;
    }

    private static boolean isTransport(String name) {
        for (String each : NAMES) {
            if (name.endsWith(each)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the property that the class reads; null if it reads none, as it is not Netty's, or its Netty is too old. */
    private static String propertyOf(byte[] classFile) {
        try {
            return new ClassFile(classFile).constants().firstText(text -> text.endsWith(PROPERTY));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | BufferUnderflowException e) {
            return null; // the JVM reports the error in the class
        }
    }

    private void refuse(String className, String property) {
        if (property != null && setUnlessSet(property)) {
            say.accept(
                    "Netty takes its NIO transport, which Accel serves, and not its native ones: "
                            + className.substring(className.lastIndexOf('/') + 1)
                            + " is told that it is not available, by -D" + property
                            + "=true. A program that insists on a native transport needs -Daccel.netty=keep, and goes through the kernel");
        }
    }

    private static boolean setUnlessSet(String property) {
        return Privileged.get(() -> {
            synchronized (NettyTransports.class) {
                if (System.getProperty(property) != null) {
                    return false;
                }
                System.setProperty(property, "true");
                return true;
            }
        });
    }
}
