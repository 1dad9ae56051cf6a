// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.Path;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.AcceptPendingException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Asynchronous listeners. */
@Tag("nio2")
class Nio2AcceptTest extends Nio2Support {
    private static final SocketAddress STRANGE = new SocketAddress() {
        private static final long serialVersionUID = 1;
    };

    @Test
    void acceptBeforeAndAfterTheClientCame() throws Exception {
        AsynchronousServerSocketChannel listener = asyncListener();
        Future<AsynchronousSocketChannel> pending = listener.accept();
        AsynchronousSocketChannel first = asyncChannel();
        value(first.connect(destination(listener)));
        assertWorks(new AsyncPair(first, closing(value(pending))));
        AsynchronousSocketChannel second = asyncChannel();
        value(second.connect(destination(listener)));
        assertWorks(new AsyncPair(second, closing(value(listener.accept()))));
    }

    @Test
    void aHandlerAcceptsOneAfterTheOther() throws Exception {
        int clients = Path.current() == Path.RDMA ? 10 : 50; // one connection takes a guest some tenths of a second
        AsynchronousServerSocketChannel listener = asyncListener();
        BlockingQueue<AsynchronousSocketChannel> accepted = new LinkedBlockingQueue<>();
        listener.accept(null, new CompletionHandler<AsynchronousSocketChannel, Void>() {
            @Override
            public void completed(AsynchronousSocketChannel channel, Void attachment) {
                accepted.add(closing(channel));
                listener.accept(null, this);
            }

            @Override
            public void failed(Throwable failure, Void attachment) {}
        });
        for (int i = 0; i < clients; i++) {
            AsynchronousSocketChannel client = asyncChannel();
            value(client.connect(destination(listener)));
            AsynchronousSocketChannel server = accepted.poll(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
            assertWorks(new AsyncPair(client, server));
            client.close();
            server.close();
        }
    }

    @Test
    void secondAcceptIsRefused() throws Exception {
        AsynchronousServerSocketChannel listener = asyncListener();
        Future<AsynchronousSocketChannel> pending = listener.accept();
        assertThatThrownBy(listener::accept).isInstanceOf(AcceptPendingException.class);
        assertThatThrownBy(() -> listener.accept(null, new Outcome<>())).isInstanceOf(AcceptPendingException.class);
        listener.close();
        assertThat(failureOf(pending)).isInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void unboundAndClosed() throws Exception {
        AsynchronousServerSocketChannel listener = closing(AsynchronousServerSocketChannel.open());
        assertThat(listener.getLocalAddress()).isNull();
        assertThat(listener.toString()).contains("[unbound]");
        assertThatThrownBy(listener::accept).isInstanceOf(NotYetBoundException.class);
        assertThatThrownBy(() -> listener.accept(null, null)).isInstanceOf(NullPointerException.class);
        assertThat(listener.bind(anyPort(), 5)).isSameAs(listener);
        assertThat(listener.getLocalAddress()).isInstanceOf(InetSocketAddress.class);
        assertThatThrownBy(() -> listener.bind(anyPort())).isInstanceOf(AlreadyBoundException.class);
        Outcome<AsynchronousSocketChannel> pending = new Outcome<>();
        listener.accept("pending", pending);
        listener.close();
        listener.close();
        assertThat(listener.isOpen()).isFalse();
        assertThat(pending.failure()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(pending.attachment()).isEqualTo("pending");
        assertThat(failureOf(listener.accept())).isExactlyInstanceOf(ClosedChannelException.class);
        Outcome<AsynchronousSocketChannel> late = new Outcome<>();
        listener.accept(null, late);
        assertThat(late.failure()).isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(listener::getLocalAddress).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> listener.bind(null)).isInstanceOf(ClosedChannelException.class);
        assertThat(listener.toString()).contains("[closed]");
    }

    @Test
    void addressesThatNobodyListensOn() throws IOException {
        AsynchronousServerSocketChannel listener = closing(AsynchronousServerSocketChannel.open());
        assertThatThrownBy(() -> listener.bind(STRANGE)).isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> listener.bind(InetSocketAddress.createUnresolved("nowhere.invalid", 1)))
                .isInstanceOf(UnresolvedAddressException.class);
        assertThat(listener.bind(null).getLocalAddress()).isInstanceOf(InetSocketAddress.class);
    }

    @Test
    void options() throws IOException {
        AsynchronousServerSocketChannel listener = closing(AsynchronousServerSocketChannel.open());
        assertThat(listener.supportedOptions())
                .contains(StandardSocketOptions.SO_RCVBUF, StandardSocketOptions.SO_REUSEADDR)
                .doesNotContain(StandardSocketOptions.SO_SNDBUF, StandardSocketOptions.IP_TOS);
        assertThat(listener.setOption(StandardSocketOptions.SO_REUSEADDR, true)).isSameAs(listener);
        assertThat(listener.getOption(StandardSocketOptions.SO_REUSEADDR)).isTrue();
        assertThatThrownBy(() -> listener.setOption(StandardSocketOptions.TCP_NODELAY, true))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> listener.setOption(null, true)).isInstanceOf(NullPointerException.class);
        listener.close();
        assertThatThrownBy(() -> listener.setOption(StandardSocketOptions.SO_REUSEADDR, true))
                .isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void cancelledAcceptIsTheLast() throws Exception {
        AsynchronousServerSocketChannel listener = asyncListener();
        Future<AsynchronousSocketChannel> pending = listener.accept();
        assertThat(pending.cancel(false)).isTrue();
        assertThat(pending.cancel(false)).isFalse();
        assertThat(pending.isCancelled()).isTrue();
        assertThatThrownBy(pending::get).isInstanceOf(CancellationException.class);
        assertThatThrownBy(listener::accept).isInstanceOf(RuntimeException.class);
        assertThat(listener.isOpen()).isTrue();
        // A client that connects learns that nobody is there.
        SocketChannel client = channel();
        client.connect(destination(listener));
        assertThat(Bytes.readToEnd(client)).isEmpty();
    }

    @Test
    void acceptCancelledByForceClosesTheListener() throws Exception {
        AsynchronousServerSocketChannel listener = asyncListener();
        Future<AsynchronousSocketChannel> pending = listener.accept();
        assertThat(pending.cancel(true)).isTrue();
        assertThat(listener.isOpen()).isFalse();
        assertThatThrownBy(pending::get).isInstanceOf(CancellationException.class);
    }

    @Test
    void acceptedThroughABlockingClient() throws Exception {
        AsynchronousServerSocketChannel listener = asyncListener();
        Future<AsynchronousSocketChannel> accept = listener.accept();
        SocketChannel client = channel();
        client.connect(destination(listener));
        AsynchronousSocketChannel server = closing(value(accept));
        Bytes.write(client, new byte[] {9});
        assertThat(receive(server, 1)).containsExactly(9);
    }
}
