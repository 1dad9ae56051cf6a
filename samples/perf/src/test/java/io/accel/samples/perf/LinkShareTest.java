// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LinkShareTest {
    private static String connection(long id, String role, String path, long in, long out) {
        return "{\"id\":" + id + ",\"role\":\"" + role + "\",\"path\":\"" + path + "\",\"reason\":\"\",\"bytes.in\":"
                + in + ",\"bytes.out\":" + out + "}";
    }

    private static LinkShare of(String... connections) {
        return LinkShare.parse(
                "{\"processes\":[{\"pid\":1,\"connections\":[" + String.join(",", connections) + "],\"omitted\":0}]}");
    }

    @Test
    void listenersDoNotCount() {
        assertThat(of(
                                connection(1, "listener", "kernel", 0, 0),
                                connection(2, "client", "shm", 0, 0),
                                connection(3, "server", "kernel", 0, 0),
                                connection(4, "server", "shm", 0, 0),
                                connection(5, "client", "shm", 0, 0))
                        .connections())
                .isEqualTo(0.75);
    }

    @Test
    void whereThereIsNoConnectionThereIsNoShare() {
        LinkShare none = LinkShare.parse("{\"processes\":[]}");

        assertThat(none.connections()).isNaN();
        assertThat(none.bytesSince(none, 0)).isNaN();
    }

    @Test
    void bytesAreThoseSinceThen() {
        LinkShare before = of(connection(2, "client", "shm", 100, 100));
        LinkShare after = of(connection(2, "client", "shm", 150, 150), connection(3, "client", "shm", 100, 100));

        assertThat(after.bytesSince(before, 100)).isEqualTo(0.75);
        assertThat(after.bytesSince(before, -1)).as("where /proc does not tell").isNaN();
    }

    @Test
    void whatTheKernelCarriesIsNotOnALink() {
        LinkShare kernel = of(connection(2, "client", "kernel", 0, 0));

        assertThat(kernel.connections()).isZero();
        assertThat(kernel.bytesSince(kernel, 1_000)).isZero();
    }
}
