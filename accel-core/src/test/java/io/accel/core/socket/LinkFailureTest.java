// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.Link;
import io.accel.core.poll.Poller;
import io.accel.testing.Background;
import io.accel.testing.InjectedErrors;
import io.accel.testing.InjectedErrors.Kind;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who is told of a link that has failed, at the moments at which that is easily forgotten. */
@Timeout(60)
class LinkFailureTest {
    private static final String FAILED_HERE = "Connection reset: its link has failed here";

    private final IllegalStateException mistake = new IllegalStateException("a mistake of a test");

    /** Nothing else tells an event loop that registers a connection when its link has failed and is freed. */
    @Test
    void aRegistrationBehindTheFailureIsReady() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu");
                Poller poller = lab.lab.accelerator.openPoller()) {
            Lab.Pair victim = lab.lab.connectOnly();
            StreamSocket server = victim.server();
            LinkStream stream = server.attached();
            stream.failure().met(mistake);
            FaultLab.soon(() -> assertThat(isFreed(stream)).isTrue());
            SelectableChannel unblocked = Lab.channel(server).configureBlocking(false);
            var registration = poller.register(server.readiness(), SelectionKey.OP_READ, null);
            assertThat(server.readiness().watched()).isSameAs(unblocked);
            AtomicReference<Integer> found = new AtomicReference<>();
            int unused = poller.poll(TimeUnit.SECONDS.toNanos(20), (which, ops) -> found.set(ops));
            assertThat(found).hasValue(SelectionKey.OP_READ);
            assertThatThrownBy(() -> Streams.read(lab.lab.accelerator.waits(), server, ByteBuffer.allocate(1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Connection reset");
            victim.close();
            registration.close();
            lab.nothingIsLeft();
        }
    }

    private static boolean isFreed(LinkStream stream) {
        boolean isHeld = stream.hold();
        if (isHeld) {
            stream.release();
        }
        return !isHeld;
    }

    /** The byte over the anchor that announces a switch is none of the program's, and only the link could tell. */
    @Test
    void aReaderTakesNoAnnouncementForAByteOfTheProgram() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu")) {
            Lab.Pair victim = lab.lab.connectOnly();
            StreamSocket server = victim.server();
            announceTo(lab, victim);
            LinkStream stream = server.attached();
            assertThat(stream.lease().end(LinkLease.State.FAILED)).isTrue(); // the others are yet to be told
            assertThatThrownBy(() -> Streams.read(lab.lab.accelerator.waits(), server, ByteBuffer.allocate(9)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(FAILED_HERE);
            stream.failure().metInClose(mistake);
            victim.close();
            lab.nothingIsLeft();
        }
    }

    /** As a reader whose read is under way when another thread closes the connection. */
    @Test
    void aReaderThatIsClosedTakesNoAnnouncementForAByteOfTheProgram() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu")) {
            Lab.Pair victim = lab.lab.connectOnly();
            StreamSocket server = victim.server();
            announceTo(lab, victim);
            assertThat(server.incoming().enter()).isNull();
            try {
                ByteBuffer read = ByteBuffer.allocate(9);
                int n = Lab.channel(server).read(read);
                assertThat(n).isEqualTo(1);
                server.close(() -> true, false);
                assertThatThrownBy(() -> server.incoming().took(n, read))
                        .isInstanceOf(AsynchronousCloseException.class);
            } finally {
                server.incoming().leave();
            }
            victim.close();
            lab.nothingIsLeft();
        }
    }

    /** Has the client come to the link, and waits until the server's kernel has what says so. */
    private static void announceTo(FaultLab lab, Lab.Pair pair) throws Exception {
        Streams.write(
                lab.lab.accelerator.waits(),
                pair.client(),
                ByteBuffer.allocate(9).put(0, (byte) 1));
        assertThat(pair.client().outgoing().link()).isNotNull();
        FaultLab.soon(() -> assertThat(pair.server().anchor().available()).isEqualTo(1));
    }

    /** A connection that is accepted while an error of its link comes ends alone: its accept does not fail. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void anAcceptReturnsAConnectionWhoseLinkFails(Kind kind) throws Exception {
        InjectedErrors errors = new InjectedErrors();
        try (FaultLab lab = new FaultLab("low-cpu")) {
            lab.faults.guise = link -> errors.over(Link.class, link);
            Lab.Pair first = lab.lab.connect(); // which loads what an accept needs
            first.close();
            Thread self = Thread.currentThread();
            errors.aimAtNew();
            errors.arm(thread -> thread == self, "Link.peerState"::equals, kind, 1, Integer.MAX_VALUE);
            Lab.Pair victim = lab.lab.connectOnly();
            assertThat(errors.where()).isNotNull();
            errors.disarm();
            victim.close();
            lab.nothingIsLeft();
        }
    }

    /** A connect that waits for the link waits no longer when the link has failed as it came. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aConnectDoesNotWaitForALinkThatHasFailed(Kind kind) throws Exception {
        InjectedErrors errors = new InjectedErrors();
        try (FaultLab lab = new FaultLab("low-cpu", Map.of("connect.probe-timeout", "60s"))) {
            lab.faults.guise = link -> errors.over(Link.class, link);
            errors.aimAtNew();
            errors.arm(each -> each.getName().equals("accel-search"), "Link.canBreak"::equals, kind, 1, 1);
            Background<StreamSocket> connecting = Background.start(() -> lab.lab.client());
            StreamSocket server = lab.lab.accept();
            StreamSocket client = connecting.get(20, TimeUnit.SECONDS);
            assertThat(errors.where()).isNotNull();
            errors.disarm();
            Lab.close(client);
            Lab.close(server);
            lab.nothingIsLeft();
        }
    }

    /** What depends on the end of a handover is done though the thread that tells of it meets an error. */
    @Test
    void anErrorInTellingOfALinkLeavesNothingUndone() throws Exception {
        AtomicReference<Thread> met = new AtomicReference<>();
        try (FaultLab lab = new FaultLab("low-cpu")) {
            Lab.Pair bystander = lab.bystander();
            lab.lab.anchors = channel -> failingInLog(new ChannelAnchor(channel), met);
            Lab.Pair victim = lab.lab.connectOnly();
            FaultLab.soon(() -> {
                assertThat(met).doesNotHaveValue(null);
                assertThat(victim.server().handover().isSettled()).isTrue();
            });
            lab.othersLiveOn(bystander);
            bystander.close();
            victim.close(); // which may have ended, as it does if one of its own threads has met the error
            lab.nothingIsLeft();
        }
    }

    /** An end that fails once when the log is told of its path. */
    private static Anchor failingInLog(Anchor inner, AtomicReference<Thread> met) {
        return (Anchor) Proxy.newProxyInstance(
                Anchor.class.getClassLoader(), new Class<?>[] {Anchor.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("shownLocal")
                            && isIn("logPath")
                            && met.compareAndSet(null, Thread.currentThread())) {
                        throw new OutOfMemoryError(Kind.MEMORY.message());
                    }
                    return invoke(method, inner, arguments);
                });
    }

    private static boolean isIn(String method) {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals(method)));
    }

    /** A connection that no program gets is closed, or its peer would wait for ever. */
    @Test
    void anAcceptThatFailsClosesTheConnection() throws Exception {
        try (FaultLab lab = new FaultLab("low-cpu")) {
            SocketChannel client = SocketChannel.open(lab.lab.address);
            lab.lab.anchors = channel -> withoutMemory(new ChannelAnchor(channel));
            assertThatThrownBy(lab.lab::accept).isInstanceOf(OutOfMemoryError.class);
            client.socket().setSoTimeout(20_000);
            assertThatThrownBy(() -> client.socket().getInputStream().read())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Connection reset");
            client.close();
        }
    }

    private static Anchor withoutMemory(Anchor inner) {
        return (Anchor) Proxy.newProxyInstance(
                Anchor.class.getClassLoader(), new Class<?>[] {Anchor.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("remote")) {
                        throw new OutOfMemoryError("memory ran out in a test");
                    }
                    return invoke(method, inner, arguments);
                });
    }

    private static Object invoke(Method method, Object inner, Object[] arguments) throws Throwable {
        try {
            return method.invoke(inner, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
