// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import java.net.SocketOption;
import java.util.Set;
import java.util.stream.Collectors;

/** The options of asynchronous channels: those of the channels beneath, without the ones that the JDK's asynchronous channels lack. */
final class Options {
    private static final Set<String> MISSING = Set.of("SO_LINGER", "IP_TOS", "SO_OOBINLINE");

    private Options() {}

    static Set<SocketOption<?>> of(Set<SocketOption<?>> beneath) {
        return beneath.stream()
                .filter(option -> !MISSING.contains(option.name()))
                .collect(Collectors.toUnmodifiableSet());
    }

    static void check(SocketOption<?> name, Set<SocketOption<?>> supported) {
        if (name == null) {
            throw new NullPointerException();
        }
        if (!supported.contains(name)) {
            throw new UnsupportedOperationException("'" + name + "' not supported");
        }
    }

    /** Refuses a value as the JDK's asynchronous channels do. They look at it when they have looked whether the channel is open. */
    static void checkValue(SocketOption<?> name, Object value) {
        if (value == null) {
            throw new IllegalArgumentException("Invalid option value");
        }
        Object unused = name.type().cast(value);
    }
}
