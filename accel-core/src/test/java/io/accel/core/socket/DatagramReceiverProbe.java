// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.nio.file.Path;
import java.util.Map;

/**
 * A receiver in a process of its own, to be killed. Arguments: the lab's directory, and the port, or 0. It says its port, the
 * first number that it got, and then sleeps with its links open, or is busy with other things.
 */
final class DatagramReceiverProbe {
    private DatagramReceiverProbe() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> settings = Map.of("datagram.ring-size", "128KiB");
        try (DatagramLab lab = new DatagramLab("low-cpu", settings, Path.of(args[0]))) {
            DatagramLab.End end = lab.end(Integer.parseInt(args[1]));
            System.out.println("port " + end.address.getPort());
            System.out.println("first " + end.receive().number());
            while (end.socket.links() == 0) {
                DatagramLab.Datagram next = end.tryReceive();
                Thread.sleep(next == null ? 1 : 0);
            }
            System.out.println("linked");
            Thread.sleep(60_000);
        }
    }
}
