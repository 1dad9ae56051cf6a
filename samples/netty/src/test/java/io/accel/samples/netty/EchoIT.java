// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The echo sample: each transport with itself, and Accel with the others on either side. */
class EchoIT {
    @ParameterizedTest
    @EnumSource(names = "unix", mode = EnumSource.Mode.EXCLUDE)
    void eachTransportWithItselfAndWithAccel(Transport other) throws Exception {
        Transports.assumeAvailable(other);
        exchange(other, other);
        exchange(Transport.accel, other);
        exchange(other, Transport.accel);
    }

    @Test
    void aMegabyteOverAccel() throws Exception {
        exchange(Transport.accel, Transport.accel, 1 << 20);
    }

    private static void exchange(Transport server, Transport client) throws Exception {
        exchange(server, client, 100_000);
    }

    private static void exchange(Transport server, Transport client, int length) throws Exception {
        byte[] message = new byte[length];
        new Random(length).nextBytes(message);
        EventLoopGroup group = server.newGroup(1);
        try {
            Channel listener = EchoServer.start(server, group, 0);
            assertThat(EchoClient.exchange(client, listener.localAddress(), message))
                    .as("%s to %s", client, server)
                    .isEqualTo(message);
            listener.close().sync();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}
