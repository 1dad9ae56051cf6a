// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client finds exactly the listener that the kernel would connect it to. */
@SuppressWarnings("try") // some resources are only held
class WhoFindsWhomTest {
    private ShmEnds ends;

    @BeforeEach
    void open() throws IOException {
        ends = new ShmEnds();
    }

    @AfterEach
    void close() throws IOException {
        ends.close();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1, 127.0.0.1",
        "127.0.0.2, 127.0.0.2, 127.0.0.1",
        "0.0.0.0, 127.0.0.1, 127.0.0.1",
        "0.0.0.0, 127.1.2.3, 127.0.0.1",
        "::, 127.0.0.1, 127.0.0.1",
        "::, ::1, ::1",
        "::1, ::1, ::1",
        "0.0.0.0, 0.0.0.0, 127.0.0.1"
    })
    void connects(String listener, String destination, String source) throws Exception {
        ShmEnds.Acceptor acceptor = new ShmEnds.Acceptor(1);
        try (var listening = ends.fabric().listen(ShmEnds.address(listener), acceptor)) {
            ends.connect(destination).free();
            ShmEnds.Accepted accepted = acceptor.next();
            assertThat(accepted.local()).isEqualTo(ShmEnds.address(destination));
            assertThat(accepted.remote()).isEqualTo(ShmEnds.address(source, 50_000));
            accepted.link().free();
        }
        assertThat(ends.content()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.2", "127.0.0.1, ::1", "::1, 127.0.0.1", "0.0.0.0, ::1"})
    void doesNotConnect(String listener, String destination) throws Exception {
        try (var listening = ends.fabric().listen(ShmEnds.address(listener), new ShmEnds.Acceptor(1))) {
            assertThat(Fallbacks.of(() -> ends.begin(destination)).reason())
                    .isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
        }
    }

    @Test
    void theListenerOnTheVeryAddressComesFirst() throws Exception {
        ShmEnds.Acceptor exact = new ShmEnds.Acceptor(1);
        ShmEnds.Acceptor any = new ShmEnds.Acceptor(1);
        try (var first = ends.fabric().listen(ShmEnds.address("0.0.0.0"), any);
                var second = ends.fabric().listen(ShmEnds.address("127.0.0.1"), exact)) {
            ends.connect("127.0.0.1").free();
            exact.next().link().free();
            ends.connect("127.0.0.2").free();
            any.next().link().free();
        }
    }

    @Test
    void anotherHostIsNotThisOneThoughThePortIsTheSame() throws Exception {
        try (var listening = ends.fabric().listen(ShmEnds.address("::"), new ShmEnds.Acceptor(1))) {
            // Addresses that are reserved for documentation, and nobody's.
            for (String elsewhere : new String[] {"192.0.2.1", "2001:db8::1"}) {
                assertThat(Fallbacks.of(() -> ends.begin(elsewhere)).reason()).isEqualTo(FallbackReason.NOT_LOCAL);
            }
        }
    }

    @Test
    void whoeverOfTwoListenersOnOnePortHasTheConnectionIsFound() throws Exception {
        for (boolean firstHasIt : new boolean[] {true, false}) {
            ShmEnds.Acceptor has = new ShmEnds.Acceptor(1);
            ShmEnds.Acceptor hasNot = new ShmEnds.Acceptor(1);
            hasNot.undecided = new LinkedBlockingQueue<>();
            try (var first = ends.fabric().listen(ShmEnds.address("127.0.0.1"), firstHasIt ? has : hasNot);
                    var second = ends.fabric().listen(ShmEnds.address("127.0.0.1"), firstHasIt ? hasNot : has)) {
                ends.connect("127.0.0.1").free();
                has.next().link().free();
            }
            assertThat(hasNot.accepted).isEmpty();
        }
        assertThat(ends.content()).isEmpty();
    }

    @Test
    void aClosedListenerIsNotFound() throws Exception {
        var listening = ends.fabric().listen(ShmEnds.address("127.0.0.1"), new ShmEnds.Acceptor(1));
        listening.close();
        listening.close(); // once is enough
        assertThat(Fallbacks.of(() -> ends.begin("127.0.0.1")).reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
    }

    @Test
    void aDirectoryThatIsNotThereServesNobody() {
        Path missing = ends.dir.resolve("missing");
        ShmFabric fabric = new ShmFabric(new ShmConfig(missing, "", 1, 1));
        FallbackException e = Fallbacks.of(() -> fabric.listen(ShmEnds.address("127.0.0.1"), new ShmEnds.Acceptor(1)));
        assertThat(e.reason()).isEqualTo(FallbackReason.SHM_DIR);
        assertThat(e).hasMessageContaining(missing.toString());
        assertThat(Fallbacks.of(() -> fabric.connect(ShmEnds.address("127.0.0.1"), ShmEnds.source(), ShmEnds.RING))
                        .reason())
                .isEqualTo(FallbackReason.SHM_DIR);
    }

    /** In /proc not even root can make a directory. */
    @Test
    void aDirectoryThatCannotBeWrittenServesNobody() throws Exception {
        for (Path dir : List.of(Path.of("/proc"), Files.createFile(ends.dir.resolve("file")))) {
            ShmFabric fabric = new ShmFabric(new ShmConfig(dir, "", 1, 1));
            FallbackException e =
                    Fallbacks.of(() -> fabric.listen(ShmEnds.address("127.0.0.1"), new ShmEnds.Acceptor(1)));
            assertThat(e.reason()).isEqualTo(FallbackReason.SHM_DIR);
        }
    }

    @Test
    void aPathTooLongForASocketServesNobody() throws Exception {
        Path deep = Files.createDirectory(ends.dir.resolve("d".repeat(100)));
        ShmFabric fabric = new ShmFabric(new ShmConfig(deep, "", 1, 1));
        FallbackException e = Fallbacks.of(() -> fabric.listen(ShmEnds.address("127.0.0.1"), new ShmEnds.Acceptor(1)));
        assertThat(e.reason()).isEqualTo(FallbackReason.SHM_DIR);
        try (var left = Files.list(deep)) {
            assertThat(left).isEmpty();
        }
    }
}
