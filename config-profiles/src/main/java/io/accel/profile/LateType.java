// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.nio.file.Path;
import java.util.List;

/**
 * The type of a key that is made when it is first needed, so that the class of the type, and that of its values, are loaded then: {@link Keys}
 * has many types, and a process that starts would wait for all of them. Most processes never need most of these. Immutable, as far as anybody
 * can see.
 *
 * @param <T> as in {@link ValueType}
 */
final class LateType<T> implements ValueType<T> {
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
    private static final int BOOLEAN = 10;
    private static final int FABRICS = 11;
    private static final int FALLBACK = 12;
    private static final int HANDOVER_AFTER = 13;

    private final int kind;
    /** For {@link CapType}. */
    private final long max;
    /** Null before it is needed. If several threads make one, any of them will do. */
    private volatile ValueType<T> type;

    private LateType(int kind, long max) {
        this.kind = kind;
        this.max = max;
    }

    static LateType<Path> path() {
        return new LateType<>(PATH, 0);
    }

    static LateType<String> group() {
        return new LateType<>(GROUP, 0);
    }

    static LateType<Long> cap(long max) {
        return new LateType<>(CAP, max);
    }

    static LateType<List<String>> devices() {
        return new LateType<>(DEVICES, 0);
    }

    static LateType<Integer> trafficClass() {
        return new LateType<>(TRAFFIC_CLASS, 0);
    }

    static LateType<Notify> notifying() {
        return new LateType<>(NOTIFY, 0);
    }

    static LateType<YieldPolicy> yielding() {
        return new LateType<>(YIELD, 0);
    }

    static LateType<GroupPath> groupPath() {
        return new LateType<>(GROUP_PATH, 0);
    }

    static LateType<String> metrics() {
        return new LateType<>(METRICS, 0);
    }

    static LateType<NettyChoice> netty() {
        return new LateType<>(NETTY, 0);
    }

    static LateType<Boolean> ofBoolean() {
        return new LateType<>(BOOLEAN, 0);
    }

    static LateType<List<FabricName>> fabrics() {
        return new LateType<>(FABRICS, 0);
    }

    static LateType<Fallback> fallback() {
        return new LateType<>(FALLBACK, 0);
    }

    static LateType<HandoverAfter> handoverAfter() {
        return new LateType<>(HANDOVER_AFTER, 0);
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
            case NOTIFY -> new EnumType<>(List.of(Notify.values()));
            case YIELD -> new EnumType<>(List.of(YieldPolicy.values()));
            case GROUP_PATH -> new EnumType<>(List.of(GroupPath.values()));
            case METRICS -> new MetricsType();
            case NETTY -> new EnumType<>(List.of(NettyChoice.values()));
            case BOOLEAN -> new BooleanType();
            case FABRICS -> new EnumListType<>(new EnumType<>(List.of(FabricName.values())));
            case FALLBACK -> new EnumType<>(List.of(Fallback.values()));
            case HANDOVER_AFTER -> new HandoverAfterType();
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
