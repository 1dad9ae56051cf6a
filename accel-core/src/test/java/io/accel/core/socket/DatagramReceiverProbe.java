// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A receiver in a process of its own, to be killed. Arguments: the lab's directory, and the port, or 0. It says its port, the
 * first number that it got, and then waits with its links open, or is busy with other things.
 */
final class DatagramReceiverProbe {
    private DatagramReceiverProbe() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> settings = Map.of("datagram.ring-size", "128KiB");
        try (DatagramLab lab = new DatagramLab("low-cpu", settings, Path.of(args[0]))) {
            DatagramLab.End end = lab.end(Integer.parseInt(args[1]));
            System.out.println("port " + end.address.getPort());
            System.out.println("first " + end.receive().number());
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> {
                DatagramLab.Datagram more;
                do {
                    more = end.tryReceive();
                } while (more != null);
                return end.socket.links() > 0;
            });
            System.out.println("linked");
            int unused = System.in.read(); // until it is killed, or the test is gone
        }
    }
}
