// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueTypesTest {
    private static final SizeType SIZE = new SizeType(1, 1 << 30, false);
    private static final SizeType RING = new SizeType(16 << 10, 64 << 20, true);
    private static final DurationType DURATION = new DurationType(0, 3_600_000_000_000L, true);
    private static final DurationType FINITE = new DurationType(1_000_000L, 60_000_000_000L, false);
    private static final IntType INT = new IntType(1, 1_000_000, "turns");
    private static final EnumListType<FabricName> LIST =
            new EnumListType<>(new EnumType<>(List.of(FabricName.values())));

    @Test
    void readsNames() throws BadValueException {
        NamesType names = new NamesType("names of devices");
        assertThat(names.parse("")).isEmpty();
        assertThat(names.parse("mlx5_0, rxe0")).containsExactly("mlx5_0", "rxe0");
        assertThat(names.render(List.of("mlx5_0", "rxe0"))).isEqualTo("mlx5_0,rxe0");
        assertRefused(names, "a,b,a", "'a' twice");
        assertRefused(names, "a,,b", "a name is empty");
    }

    @Test
    void readsTrafficClasses() throws BadValueException {
        TrafficClassType tos = new TrafficClassType();
        assertThat(tos.parse("program")).isEqualTo(TrafficClassType.PROGRAMS);
        assertThat(tos.render(TrafficClassType.PROGRAMS)).isEqualTo("program");
        assertThat(tos.parse("0")).isZero();
        assertThat(tos.parse("255")).isEqualTo(255);
        assertRefused(tos, "256", "out of range");
        assertRefused(tos, "99999999999", "out of range");
        assertRefused(tos, "-1", "neither 'program' nor a whole number");
        assertRefused(tos, "AF41", "neither 'program' nor a whole number");
    }

    @Test
    void readsGroups() throws BadValueException {
        GroupType groups = new GroupType();
        assertThat(groups.parse("")).isEmpty();
        assertThat(groups.parse("root")).isEqualTo("root");
        assertThat(groups.parse("54321")).isEqualTo("54321");
        assertRefused(groups, "no-such-group", "this system has no group 'no-such-group'");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "4096, 4096",
        "64B, 64",
        "64KiB, 65536",
        "64 KiB, 65536",
        "1.5KiB, 1536",
        "1MiB, 1048576",
        "1GiB, 1073741824"
    })
    void readsSizes(String text, int bytes) throws BadValueException {
        assertThat(SIZE.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "64K      | unknown unit 'K'; did you mean 'KiB'?",
                "64KB     | unknown unit 'KB'; did you mean 'KiB'?",
                "64kib    | unknown unit 'kib'; did you mean 'KiB'?",
                "1mb      | unknown unit 'mb'; did you mean 'MiB'?",
                "1 apple  | unknown unit 'apple'",
                "KiB      | does not start with a number",
                "-1       | does not start with a number",
                "''       | does not start with a number",
                "1.2.3KiB | does not start with a number",
                "0.3B     | not a whole number of bytes",
                "0        | out of range",
                "1025MiB  | out of range",
                "99999999999GiB | out of range",
                "9223372036854775808 | out of range",
            })
    void refusesSizes(String text, String reason) {
        assertRefused(SIZE, text, reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "100KiB | not a power of two",
                "8KiB   | out of range",
                "128MiB | out of range",
                // 2^32 + 64 KiB, which is 64 KiB in 32 bits
                "4295032832 | out of range",
            })
    void refusesRings(String text, String reason) {
        assertRefused(RING, text, reason);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0s, 0",
        "7ns, 7",
        "50us, 50000",
        "1.5ms, 1500000",
        "1s, 1000000000",
        "1min, 60000000000",
        "1h, 3600000000000",
        "forever, 9223372036854775807"
    })
    void readsDurations(String text, long nanos) throws BadValueException {
        assertThat(DURATION.parse(text)).isEqualTo(nanos);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "50      | '50' has no unit, write for example '50us'",
                "50uss   | unknown unit 'uss'; did you mean 'us'?",
                "50usec  | unknown unit 'usec'; did you mean 'us'?",
                "5 sec   | unknown unit 'sec'; did you mean 's'?",
                "5minutes | unknown unit 'minutes'; did you mean 'min'?",
                "5MS     | unknown unit 'MS'; did you mean 'ms'?",
                "0.5ns   | not a whole number of nanoseconds",
                "2h      | out of range",
                "9999999999999999h | out of range",
                "Forever | does not start with a number",
            })
    void refusesDurations(String text, String reason) {
        assertRefused(DURATION, text, reason);
    }

    @Test
    void refusesForeverWhereAWaitHasToEnd() {
        assertRefused(FINITE, "forever", "this wait has to end");
        assertRefused(FINITE, "0", "out of range");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | out of range",
                "1000001 | out of range",
                "99999999999999999999 | out of range",
                "-5 | out of range",
                "5.0 | not a whole number",
                "x | not a whole number",
                "'' | not a whole number",
            })
    void refusesInts(String text, String reason) {
        assertRefused(INT, text, reason);
    }

    @Test
    void readsWords() throws BadValueException {
        assertThat(new EnumType<>(List.of(YieldPolicy.values())).parse("adaptive"))
                .isEqualTo(YieldPolicy.ADAPTIVE);
        assertThat(new BooleanType().parse("true")).isTrue();
        assertThat(new BooleanType().parse("false")).isFalse();
        assertThat(LIST.parse("rdma , shm")).containsExactly(FabricName.RDMA, FabricName.SHM);
        assertThat(new PathType().parse("/dev/shm")).isEqualTo(Path.of("/dev/shm"));
    }

    @Test
    void refusesWords() {
        assertRefused(
                new EnumType<>(List.of(YieldPolicy.values())),
                "adaptiv",
                "unknown word 'adaptiv'; did you mean 'adaptive'?");
        assertRefused(
                new EnumType<>(List.of(YieldPolicy.values())),
                "ALWAYS",
                "unknown word 'ALWAYS'; did you mean 'always'?");
        assertRefused(new EnumType<>(List.of(Mode.values())), "on", "unknown word 'on'");
        assertRefused(new BooleanType(), "ture", "not a boolean; did you mean 'true'?");
        assertRefused(new BooleanType(), "1", "not a boolean");
        assertRefused(LIST, "", "the list is empty");
        assertRefused(LIST, "shm,", "unknown word ''");
        assertRefused(LIST, "shm,rdma,shm", "'shm' twice");
        assertRefused(LIST, "shn", "unknown word 'shn'; did you mean 'shm'?");
        assertRefused(new PathType(), "shm", "not absolute");
        assertRefused(new PathType(), "/a\0b", "not a path: Nul character not allowed");
    }

    @Property
    void writesSizesAsTheyAreRead(@ForAll @IntRange(min = 1, max = 1 << 30) int bytes) throws BadValueException {
        assertThat(SIZE.parse(SIZE.render(bytes))).isEqualTo(bytes);
    }

    @Property
    void writesDurationsAsTheyAreRead(@ForAll @LongRange(min = 0, max = 3_600_000_000_000L) long nanos)
            throws BadValueException {
        assertThat(DURATION.parse(DURATION.render(nanos))).isEqualTo(nanos);
    }

    @Test
    void writesTheLargestUnitThatDivides() {
        assertThat(SIZE.render(128 << 10)).isEqualTo("128KiB");
        assertThat(SIZE.render(1025)).isEqualTo("1025B");
        assertThat(DURATION.render(1_500_000L)).isEqualTo("1500us");
        assertThat(DURATION.render(60_000_000_000L)).isEqualTo("1min");
        assertThat(DURATION.render(0L)).isEqualTo("0");
        assertThat(DURATION.render(Keys.FOREVER)).isEqualTo("forever");
        assertThat(LIST.render(List.of(FabricName.RDMA, FabricName.SHM))).isEqualTo("rdma,shm");
    }

    private static void assertRefused(ValueType<?> type, String text, String reason) {
        assertThatThrownBy(() -> type.parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessage(reason);
    }
}
