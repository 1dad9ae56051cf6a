// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * Has a program's Netty take NIO, whose channels are Accel's, where it would take epoll, kqueue or io_uring by itself.
 *
 * <p>Netty, and each framework on it, asks a native transport whether it is available, and takes NIO otherwise. The transport is not
 * available where the system property {@code io.netty.transport.noNative} is true. It reads the property when its class is
 * initialised, under a name that is relocated with the class, such as {@code io.grpc.netty.shaded.io.netty.transport.noNative}. So
 * these system properties answer that question, whatever comes before the end of the name. From then on the property is set, as others are.
 * A value that is set already is the user's, and stays.
 *
 * <p>No class is changed or looked at: a transformer that stays would have the JVM show it each class, and use no archive of linked
 * classes. In everything else these are the system properties as they were. Safe for use by several threads.
 */
final class NettyTransports extends Properties {
    private static final long serialVersionUID = 1;
    private static final String PROPERTY = ".transport.noNative";

    private final transient Consumer<String> say;

    private NettyTransports(Consumer<String> say) {
        this.say = say;
    }

    /**
     * Begins to answer.
     *
     * @param say takes a line for each Netty that takes NIO
     */
    static void takeNio(Consumer<String> say) {
        Properties before = System.getProperties();
        if (before instanceof NettyTransports) {
            return;
        }
        NettyTransports own = new NettyTransports(say);
        own.putAll(before);
        System.setProperties(own);
        for (Map.Entry<Object, Object> each : before.entrySet()) { // where a running program has set one meanwhile
            own.putIfAbsent(each.getKey(), each.getValue());
        }
    }

    @Override
    public String getProperty(String key) {
        String value = super.getProperty(key);
        return value == null && key.endsWith(PROPERTY) ? refuse(key) : value;
    }

    private String refuse(String property) {
        if (putIfAbsent(property, "true") == null) {
            say.accept(
                    "Netty takes its NIO transport, which Accel serves, and not its native ones: they are told that they are not available, by -D"
                            + property
                            + "=true. A program that insists on a native transport needs -Daccel.netty=keep, and goes through the kernel");
        }
        return super.getProperty(property);
    }

    /** What a program writes for another, which may lack this class. */
    private Object writeReplace() {
        Properties plain = new Properties();
        plain.putAll(this);
        return plain;
    }
}
