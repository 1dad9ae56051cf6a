// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.accel.core.fabric.PortSpace;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The name of any directory in {@code shm.dir} is the name of a listener in this namespace, or in another, or of nothing; and only a
 * rendezvous is asked.
 */
class RendezvousNameFuzzTest {
    private static final Path DIR = Path.of("/dev/shm");
    private static final Namespace OWN = new Namespace("abc", address -> true);
    private static final InetSocketAddress TO = new InetSocketAddress(address(10, 1, 2, 3), 9092);

    private static InetAddress address(int... parts) {
        byte[] raw = new byte[parts.length];
        for (int i = 0; i < parts.length; i++) {
            raw[i] = (byte) parts[i];
        }
        try {
            return InetAddress.getByAddress(raw);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    @FuzzTest
    void name(byte[] bytes) {
        String name = new String(bytes, StandardCharsets.ISO_8859_1)
                .replace("/", "")
                .replace("\0", "")
                .replace("\n", "");
        if (name.isEmpty()) {
            return;
        }
        List<Path> all = List.of(DIR.resolve(name));
        boolean isRendezvous = RendezvousPath.isRendezvous(all.get(0));
        boolean isCandidate =
                !RendezvousPath.candidates(all, OWN, PortSpace.TCP, TO).isEmpty();
        RendezvousPath.Elsewhere elsewhere = RendezvousPath.elsewhere(all, OWN, TO);
        int found = elsewhere.named().size()
                + elsewhere.wildcard().size()
                + elsewhere.others().size();
        assertThat(found).isBetween(0, isCandidate ? 0 : 1);
        assertThat(found == 0 || isRendezvous).as("%s is asked", name).isTrue();
        assertThat(found == 0 || !name.startsWith("accel-abc-")).isTrue();
        if (isCandidate) {
            assertThat(name).matches("(?s)accel-abc-(10\\.1\\.2\\.3|any4|any)-9092~.*");
        }
        if (!elsewhere.named().isEmpty()) {
            assertThat(name).matches("accel-[0-9a-z]+-10\\.1\\.2\\.3-9092~[0-9a-z]+");
        }
    }
}
