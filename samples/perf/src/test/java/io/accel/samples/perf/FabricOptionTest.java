// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.accel.samples.soak.SoakCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Timeout(60)
class FabricOptionTest {
    private static final String PEER = " --peer=cat --peer-address=192.0.2.1";
    private static final RdmaDevice DEVICE = new RdmaDevice("mlx5_0", "192.0.2.2", false, false);

    @Command(name = "compare")
    private static final class Host {
        @Mixin
        private FabricOption fabric;
    }

    private static FabricOption parsed(String arguments) {
        Host host = new Host();
        new CommandLine(host).parseArgs(arguments.trim().split(" ", -1));
        return host.fabric;
    }

    /** Neither gets as far as measuring, or needing the drop-in jar. */
    @ParameterizedTest
    @CsvSource({"compare,''", "compare,--fabric=shm", "soak,''", "soak,--fabric=shm"})
    void aPeerWithinOneHostIsAUsageErrorOfEachCommand(String command, String fabric) {
        StringWriter said = new StringWriter();
        Object commands = command.equals("soak") ? new SoakCommand() : new CompareCommand();
        CommandLine line = new CommandLine(commands).setErr(new PrintWriter(said));

        assertThat(line.execute((fabric + PEER).trim().split(" ", -1))).isEqualTo(2);
        assertThat(said.toString()).contains("--peer is for --fabric rdma alone");
        assertThat(said.toString()).contains("Usage: " + command);
    }

    @Test
    void aPeerOverRdmaIsWhereServersRun() {
        FabricOption fabric = parsed("--fabric=rdma" + PEER);

        assertThatCode(fabric::check).doesNotThrowAnyException();
        assertThat(fabric.place(DEVICE).isFar(End.SERVER)).isTrue();
        assertThat(fabric.place(DEVICE).address()).isEqualTo("192.0.2.1");
    }

    @Test
    void withoutAPeerServersRunAtTheDevice() {
        FabricOption fabric = parsed("--fabric=rdma");

        assertThatCode(fabric::check).doesNotThrowAnyException();
        assertThat(fabric.isRdma()).isTrue();
        assertThat(fabric.place(DEVICE).isFar(End.SERVER)).isFalse();
        assertThat(fabric.place(DEVICE).address()).isEqualTo("192.0.2.2");
    }

    @Test
    void sharedMemoryIsTheDefault() {
        assertThat(parsed("--fabric=shm").isRdma()).isFalse();
        Host host = new Host();
        new CommandLine(host).parseArgs();
        assertThat(host.fabric.isRdma()).isFalse();
        assertThat(host.fabric.label()).isEqualTo("shm");
    }
}
