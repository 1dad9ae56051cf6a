// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.awaitility.Awaitility.await;

import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Runs in a JVM that has virtual threads: one of them waits for datagrams, for which it is in the receiving half of the socket, while
 * a peer that had a link closes. The link's memory goes nevertheless, and the thread receives what the next peer sends.
 */
final class VirtualReceiverProbe {
    private static final int LIMIT_SECONDS = 20;

    private VirtualReceiverProbe() {}

    public static void main(String[] args) throws Exception {
        try (DatagramLab lab = new DatagramLab("balanced", Map.of("datagram.ring-size", "128KiB", "poll.spin", "0"))) {
            DatagramLab.End server = lab.end();
            for (int round = 0; round < 5; round++) {
                DatagramLab.End client = lab.end();
                DatagramLab.link(client, server);
                FutureTask<Long> receiver = new FutureTask<>(() -> {
                    long number = -1; // those that the link was found with
                    while (number < 0) {
                        number = server.receive().number();
                    }
                    return number;
                });
                Thread thread = VirtualThreadStarter.start(receiver);
                await("a thread that waits").until(() -> VirtualThreadStarter.waits(thread));
                client.close();
                await("no mapped memory").until(() -> lab.mappings() == 0);
                DatagramLab.End next = lab.end();
                next.send(7, server);
                System.out.println("received " + receiver.get(LIMIT_SECONDS, TimeUnit.SECONDS));
                next.close();
            }
        }
    }
}
