// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nothing keeps a handler, or what is attached to it, when it has been called; programs wait for their collection. */
@Tag("nio2")
class Nio2ReleaseTest extends Nio2Support {
    /** Begins an operation. */
    private interface Operation<V> {
        void begin(Object attachment, CompletionHandler<V, Object> handler) throws Exception;
    }

    /** Follows the handler of an operation and its attachment, without keeping them. */
    private record Traces(WeakReference<Object> handler, WeakReference<Object> attachment) {
        boolean areGone() {
            System.gc();
            // The JDK's channel keeps the attachment of its connect.
            return handler.get() == null && (attachment.get() == null || Path.current() == Path.JDK);
        }
    }

    /** The JDK's threads may keep the last handler in a variable while they wait, except in a group as its own tests have it. */
    private AsynchronousChannelGroup[] groups() throws Exception {
        if (Path.current() == Path.JDK) {
            return new AsynchronousChannelGroup[] {fixedGroup(2)};
        }
        return new AsynchronousChannelGroup[] {fixedGroup(1), fixedGroup(2), cachedGroup(), null};
    }

    private <V> void assertReleased(Operation<V> operation, Task.Action meanwhile) throws Exception {
        Traces traces = call(operation, meanwhile);
        eventually().pollInterval(Duration.ofMillis(20)).until(traces::areGone);
    }

    private static <V> Traces call(Operation<V> operation, Task.Action meanwhile) throws Exception {
        Outcome<V> handler = new Outcome<>();
        Object attachment = new Object();
        operation.begin(attachment, handler);
        meanwhile.run();
        eventually().until(handler::isTold);
        assertThat(handler.attachment()).isSameAs(attachment);
        return new Traces(new WeakReference<>(handler), new WeakReference<>(attachment));
    }

    @Test
    void ofConnects() throws Exception {
        for (AsynchronousChannelGroup group : groups()) {
            AsynchronousServerSocketChannel listener = asyncListener(group);
            AsynchronousSocketChannel client = asyncChannel(group);
            this.<Void>assertReleased(
                    (with, handler) -> client.connect(destination(listener), with, handler), () -> {});
        }
    }

    @Test
    void ofReads() throws Exception {
        for (AsynchronousChannelGroup group : groups()) {
            AsyncPair pair = asyncPair(group);
            for (int timeout : new int[] {0, 60_000}) {
                this.<Integer>assertReleased(
                        (with, handler) -> pair.client()
                                .read(ByteBuffer.allocate(8), timeout, TimeUnit.MILLISECONDS, with, handler),
                        () -> send(pair.server(), new byte[] {1}));
                send(pair.server(), new byte[] {1});
                this.<Integer>assertReleased(
                        (with, handler) -> pair.client().read(ByteBuffer.allocate(8), with, handler), () -> {});
            }
        }
    }

    @Test
    void ofWrites() throws Exception {
        for (AsynchronousChannelGroup group : groups()) {
            AsyncPair pair = asyncPair(group);
            this.<Integer>assertReleased(
                    (with, handler) -> pair.client().write(Bytes.ascii("hello"), with, handler), () -> {});
            assertThat(receive(pair.server(), 5)).containsExactly('h', 'e', 'l', 'l', 'o');
        }
    }

    @Test
    void ofAccepts() throws Exception {
        assumeTrue(Path.current() != Path.JDK, "the JDK's listener keeps the last handler");
        for (AsynchronousChannelGroup group : groups()) {
            AsynchronousServerSocketChannel listener = asyncListener(group);
            AsynchronousSocketChannel next = asyncChannel(group);
            this.<AsynchronousSocketChannel>assertReleased(
                    (with, handler) -> listener.accept(with, handler),
                    () -> value(next.connect(destination(listener))));
        }
    }

    @Test
    void ofOperationsThatFail() throws Exception {
        assumeTrue(Path.current() != Path.JDK, "the JDK's channel keeps the last handler");
        for (AsynchronousChannelGroup group : groups()) {
            AsyncPair pair = asyncPair(group);
            this.<Integer>assertReleased(
                    (with, handler) ->
                            pair.client().read(ByteBuffer.allocate(8), 10, TimeUnit.MILLISECONDS, with, handler),
                    () -> {});
            this.<Integer>assertReleased(
                    (with, handler) -> pair.server().read(ByteBuffer.allocate(8), with, handler),
                    () -> pair.client().close());
        }
    }
}
