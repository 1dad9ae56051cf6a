// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Reads what the programs really said. */
class NativeProgramTest {
    private static final String RSTREAM = """
            name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer
            custom    64      1       2k      250k        0.11s      0.02      27.24
            """;

    @Test
    void rstreamTellsHalfOfARoundTrip() throws IOException {
        Figures figures = NativeProgram.RSTREAM_LATENCY.read(RSTREAM);
        assertThat(figures.p50Micros()).isNaN();
        assertThat(figures.messagesPerSecond()).isCloseTo(1e6 / 54.48, within(0.1));
        assertThat(figures.bytesPerSecond()).isCloseTo(64e6 / 54.48, within(1.0));
    }

    @Test
    void rstreamsTransfersOneWay() throws IOException {
        Figures figures = NativeProgram.RSTREAM_BANDWIDTH.read("""
                name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer
                custom    64k     1k      1       125m        1.62s      0.65     808.01
                """);
        assertThat(figures.bytesPerSecond()).isCloseTo(65_536e6 / 808.01, within(1.0));
    }

    @Test
    void aClientThatFailedHasNoFigures() {
        assertThatThrownBy(() -> NativeProgram.RSTREAM_LATENCY.read("rconnect: Connection refused\n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Connection refused");
        assertThatThrownBy(() -> NativeProgram.IB_WRITE_LAT.read("Couldn't connect to 10.78.0.1:18515\n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Couldn't connect");
    }

    @Test
    void perftestsHalfRoundTripsAreDoubled() throws IOException {
        Figures figures = NativeProgram.IB_WRITE_LAT.read("""
                 remote address: LID 0000 QPN 0x0014 PSN 0x8cfe1a
                ---------------------------------------------------------------------------------------
                 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
                 64      2000          8.99           404.80       10.07              10.66          -nan            21.24                  152.96
                ---------------------------------------------------------------------------------------
                """);
        assertThat(figures.p50Micros()).isEqualTo(20.14);
        assertThat(figures.p99Micros()).isEqualTo(42.48);
        assertThat(figures.p999Micros()).isEqualTo(305.92);
        assertThat(figures.messagesPerSecond()).isCloseTo(1e6 / 21.32, within(0.1));
    }

    @Test
    void perftestsBandwidthIsTheAverage() throws IOException {
        Figures figures = NativeProgram.IB_WRITE_BW.read("""
                 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
                 65536      2000             0.80               0.74                 0.001412
                """);
        assertThat(figures.bytesPerSecond()).isCloseTo(0.74e9 / 8, within(1.0));
    }

    @Test
    void bothEndsHaveTheSameArgumentsButTheAddress() {
        for (NativeProgram program : NativeProgram.values()) {
            assertThat(program.arguments(7000, 100, "10.78.0.1"))
                    .containsAll(program.arguments(7000, 100, null))
                    .contains("10.78.0.1", "7000", Integer.toString(program.bytes()));
        }
    }
}
