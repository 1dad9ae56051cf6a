// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Members of a multicast group, or a publisher, in a process of their own. Arguments: the mode, the lab's directory, the port, and
 * {@code hear COUNT} or {@code say}. Each member hears numbers up to {@link #LAST}, and then says what it has heard. A publisher sends
 * numbers until it is killed.
 */
final class GroupProbe {
    static final long LAST = 1_000_000_000L;
    /** How often a member that hears nothing looks whether it has a link. */
    private static final long LOOK_NANOS = 10_000_000L;

    private static final long PATIENCE_NANOS = 40_000_000_000L;

    private GroupProbe() {}

    public static void main(String[] args) throws Exception {
        try (GroupLab lab = new GroupLab(args[0], Map.of("datagram.retry", "5ms"), Path.of(args[1]))) {
            int port = Integer.parseInt(args[2]);
            if (args[3].equals("say")) {
                say(lab, port);
            } else {
                hear(lab, port, Integer.parseInt(args[4]));
            }
        }
    }

    private static void hear(GroupLab lab, int port, int count) throws Exception {
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            GroupLab.End member = lab.end(port).join();
            threads[i] = new Thread(() -> hear(member));
        }
        System.out.println("ready");
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void hear(GroupLab.End member) {
        try {
            Map<Long, Integer> heard = new TreeMap<>();
            boolean isLinked = false;
            long patientUntil = System.nanoTime() + PATIENCE_NANOS;
            while (System.nanoTime() - patientUntil < 0) {
                Long number = member.receive(LOOK_NANOS);
                if (!isLinked && member.socket.links() > 0) {
                    isLinked = true;
                    System.out.println("linked");
                }
                if (number == null) {
                    continue;
                }
                if (number == LAST) {
                    break;
                }
                heard.merge(number, 1, Integer::sum);
                patientUntil = System.nanoTime() + PATIENCE_NANOS;
            }
            System.out.println("heard " + text(heard));
        } catch (Exception e) {
            System.out.println("heard " + e);
        }
    }

    /** First and last number, how many different ones, and how many came twice. */
    static String text(Map<Long, Integer> heard) {
        long twice = heard.values().stream().filter(times -> times > 1).count();
        return heard.keySet().stream().findFirst().orElse(0L)
                + ".."
                + heard.keySet().stream().reduce((a, b) -> b).orElse(0L) + ", " + heard.size() + ", " + twice
                + " twice";
    }

    private static void say(GroupLab lab, int port) throws Exception {
        GroupLab.End publisher = lab.end(0);
        InetSocketAddress group = lab.group(port);
        System.out.println("ready");
        for (long number = 1; ; number++) {
            publisher.send(number, group);
            if (number % 20 == 0) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }
}
