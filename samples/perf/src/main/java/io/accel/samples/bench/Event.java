// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

/** One line to the process that started this program: an event's name and its {@code key=value} fields. */
public final class Event {
    private final StringBuilder line;

    private Event(String name) {
        line = new StringBuilder(name);
    }

    public static Event named(String name) {
        return new Event(name);
    }

    /** Adds a field; its value must be without white space. */
    public Event with(String key, Object value) {
        line.append(' ').append(key).append('=').append(value);
        return this;
    }

    /** Adds what {@code usage} says. */
    public Event with(Usage usage) {
        return with("cpu_ns", usage.cpuNanos())
                .with("alloc", usage.allocatedBytes())
                .with("kernel_bytes", usage.kernelBytes());
    }

    public void send() {
        System.out.println(line);
        System.out.flush();
    }
}
