// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.nio.file.Path;
import java.util.List;

/**
 * The type of a key that most processes neither set nor ask for: the class of the type, and that of its values, are loaded when they are
 * first needed. {@link Keys} has many types, and a process that starts would wait for all of them. Immutable, as far as anybody can see.
 *
 * @param <T> as in {@link ValueType}
 */
final class RareType<T> implements ValueType<T> {
    private static final int PATH = 0;
    private static final int GROUP = 1;
    private static final int CAP = 2;
    private static final int DEVICES = 3;
    private static final int TRAFFIC_CLASS = 4;
    private static final int NOTIFY = 5;
    private static final int YIELD = 6;
    private static final int GROUP_PATH = 7;
    private static final int METRICS = 8;
    private static final int NETTY = 9;

    private final int kind;
    /** For {@link CapType}. */
    private final long max;
    /** Null before it is needed. If several threads make one, any of them will do. */
    private volatile ValueType<T> type;

    private RareType(int kind, long max) {
        this.kind = kind;
        this.max = max;
    }

    static RareType<Path> path() {
        return new RareType<>(PATH, 0);
    }

    static RareType<String> group() {
        return new RareType<>(GROUP, 0);
    }

    static RareType<Long> cap(long max) {
        return new RareType<>(CAP, max);
    }

    static RareType<List<String>> devices() {
        return new RareType<>(DEVICES, 0);
    }

    static RareType<Integer> trafficClass() {
        return new RareType<>(TRAFFIC_CLASS, 0);
    }

    static RareType<Notify> notifying() {
        return new RareType<>(NOTIFY, 0);
    }

    static RareType<YieldPolicy> yielding() {
        return new RareType<>(YIELD, 0);
    }

    static RareType<GroupPath> groupPath() {
        return new RareType<>(GROUP_PATH, 0);
    }

    static RareType<String> metrics() {
        return new RareType<>(METRICS, 0);
    }

    static RareType<NettyChoice> netty() {
        return new RareType<>(NETTY, 0);
    }

    @SuppressWarnings("unchecked") // the methods above pair the kinds with their types
    private ValueType<T> type() {
        ValueType<T> made = type;
        if (made == null) {
            made = (ValueType<T>) make();
            type = made;
        }
        return made;
    }

    private ValueType<?> make() {
        return switch (kind) {
            case PATH -> new PathType();
            case GROUP -> new GroupType();
            case CAP -> new CapType(max);
            case DEVICES -> new NamesType("names of devices, as `rdma link` shows them");
            case TRAFFIC_CLASS -> new TrafficClassType();
            case NOTIFY -> new EnumType<>(Notify.class);
            case YIELD -> new EnumType<>(YieldPolicy.class);
            case GROUP_PATH -> new EnumType<>(GroupPath.class);
            case METRICS -> new MetricsType();
            case NETTY -> new EnumType<>(NettyChoice.class);
            default -> throw new IllegalStateException("no type " + kind);
        };
    }

    @Override
    public String name() {
        return type().name();
    }

    @Override
    public String allowed() {
        return type().allowed();
    }

    @Override
    public T parse(String text) throws BadValueException {
        return type().parse(text);
    }

    @Override
    public String render(T value) {
        return type().render(value);
    }
}
