// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Tells whether an address belongs to this host, in this network namespace. To answer, the kernel walks all
 * interfaces, so each answer is kept for a second.
 */
final class LocalAddresses {
    private static final long KEEP_NANOS = 1_000_000_000L;
    private static final int MOST = 1_000;

    private record Answer(boolean local, long until) {}

    private static final ConcurrentMap<InetAddress, Answer> ANSWERS = new ConcurrentHashMap<>();

    private LocalAddresses() {}

    static boolean contains(InetAddress address) {
        if (address.isLoopbackAddress()) {
            return true;
        }
        long now = System.nanoTime();
        Answer answer = ANSWERS.get(address);
        if (answer == null || now - answer.until > 0) {
            answer = new Answer(ask(address), now + KEEP_NANOS);
            if (ANSWERS.size() >= MOST) {
                ANSWERS.clear();
            }
            ANSWERS.put(address, answer);
        }
        return answer.local;
    }

    private static boolean ask(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException e) {
            return false;
        }
    }
}
