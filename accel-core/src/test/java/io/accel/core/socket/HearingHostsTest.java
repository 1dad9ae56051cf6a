// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A socket begins to remember what the kernel brings, because other hosts may bring it again, while another thread receives. */
@Timeout(60)
class HearingHostsTest {
    private static final long FOR_LONG_NANOS = 40_000_000_000L;

    @Test
    void aReceiveUnderWayIsWaitedForOnce() throws Exception {
        try (GroupLab lab = new GroupLab("both", Map.of(), null)) {
            GroupLab.End end = lab.end(0);
            Thread joining = new Thread(end.socket::hearsHosts);
            end.socket.lockRead();
            try {
                joining.start();
                await().until(() -> joining.getState() == Thread.State.TIMED_WAITING);
            } finally {
                end.socket.unlockRead();
            }
            joining.join();
            end.socket.lockRead();
            try {
                long start = System.nanoTime();
                Thread again = new Thread(end.socket::hearsHosts);
                again.start();
                again.join();
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(900));
            } finally {
                end.socket.unlockRead();
            }
        }
    }

    @Test
    void aReceiverThatSleepsHoldsNobodyUp() throws Exception {
        try (GroupLab lab = new GroupLab("both", Map.of(), null)) {
            GroupLab.End end = lab.end(0);
            AtomicReference<Object> received = new AtomicReference<>();
            Thread receiver = new Thread(() -> {
                try {
                    received.set(end.receive(FOR_LONG_NANOS));
                } catch (IOException e) {
                    received.set(e);
                }
            });
            receiver.start();
            await().until(() -> isInKernel(receiver));
            long start = System.nanoTime();
            end.socket.hearsHosts();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(900));
            end.send(42, new InetSocketAddress(GroupLab.ip("127.0.0.1"), end.port()));
            receiver.join();
            assertThat(received).hasValue(42L);
        }
    }

    private static boolean isInKernel(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod();
    }
}
