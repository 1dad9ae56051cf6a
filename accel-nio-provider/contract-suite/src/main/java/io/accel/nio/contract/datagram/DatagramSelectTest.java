// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels for datagrams that are selected. */
@Tag("datagram")
class DatagramSelectTest extends DatagramSupport {
    @Test
    void readsAndWritesAreWhatCanBeSelected() throws IOException {
        DatagramChannel channel = bound();
        Selector selector = selector();
        assertThat(channel.validOps()).isEqualTo(OP_READ | OP_WRITE);
        assertThatThrownBy(() -> channel.register(selector, OP_READ)).isInstanceOf(IllegalBlockingModeException.class);
        channel.configureBlocking(false);
        for (int ops : new int[] {OP_ACCEPT, OP_CONNECT, OP_READ | OP_CONNECT}) {
            assertThatThrownBy(() -> channel.register(selector, ops)).isInstanceOf(IllegalArgumentException.class);
        }
        SelectionKey key = channel.register(selector, OP_READ, "attached");
        assertThat(key.channel()).isSameAs(channel);
        assertThat(key.attachment()).isEqualTo("attached");
        assertThat(channel.keyFor(selector)).isSameAs(key);
        assertThatThrownBy(() -> channel.configureBlocking(true)).isInstanceOf(IllegalBlockingModeException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readableWhileThereAreDatagrams(boolean connected) throws IOException {
        Ends ends = connected ? connectedEnds() : ends();
        SelectionKey key = register(ends.right(), selector(), OP_READ);
        Selector selector = key.selector();
        assertThat(selector.selectNow()).isZero();
        for (int round = 0; round < 10; round++) {
            send(ends.left(), "one", addressOf(ends.right()));
            send(ends.left(), "two", addressOf(ends.right()));
            for (String expected : new String[] {"one", "two"}) {
                awaitReady(key, OP_READ);
                selector.selectedKeys().clear();
                assertThat(selector.selectNow()).as("still there").isEqualTo(1);
                assertThat(key.isReadable()).isTrue();
                assertThat(key.isWritable()).as("not asked for").isFalse();
                assertThat(receiveText(ends.right())).isEqualTo(expected);
            }
            selector.selectedKeys().clear();
            assertThat(selector.selectNow()).as("all received").isZero();
        }
    }

    @Test
    void firstDatagramToAChannelIsSelected() throws IOException {
        DatagramChannel receiver = bound();
        SelectionKey key = register(receiver, selector(), OP_READ);
        send(bound(), "first", addressOf(receiver));
        awaitReady(key, OP_READ);
        assertThat(receiveText(receiver)).isEqualTo("first");
    }

    @Test
    void emptyDatagramIsReadable() throws IOException {
        Ends ends = ends();
        SelectionKey key = register(ends.right(), selector(), OP_READ);
        send(ends.left(), "", addressOf(ends.right()));
        awaitReady(key, OP_READ);
        assertThat(receiveText(ends.right())).isEmpty();
        key.selector().selectedKeys().clear();
        assertThat(key.selector().selectNow()).isZero();
    }

    @Test
    void restOfATruncatedDatagramIsNotReadable() throws IOException {
        Ends ends = ends();
        SelectionKey key = register(ends.right(), selector(), OP_READ);
        send(ends.left(), Bytes.random(1, 5000), addressOf(ends.right()));
        awaitReady(key, OP_READ);
        assertThat(ends.right().receive(ByteBuffer.allocate(10))).isNotNull();
        key.selector().selectedKeys().clear();
        assertThat(key.selector().selectNow()).isZero();
    }

    @Test
    void whatCameBeforeTheRegistrationIsSelected() throws IOException {
        Ends ends = ends();
        send(ends.left(), "early", addressOf(ends.right()));
        pause(5);
        SelectionKey key = register(ends.right(), selector(), OP_READ);
        awaitReady(key, OP_READ);
        assertThat(receiveText(ends.right())).isEqualTo("early");
    }

    @Test
    void alwaysWritable() throws IOException {
        Ends ends = ends();
        for (DatagramChannel channel : new DatagramChannel[] {
            datagrams(), bound(), ends.left(), connectedEnds().left()
        }) {
            SelectionKey key = register(channel, selector(), OP_WRITE);
            for (int i = 0; i < 3; i++) {
                assertThat(key.selector().select(1000)).isEqualTo(1);
                assertThat(key.readyOps()).isEqualTo(OP_WRITE);
                key.selector().selectedKeys().clear();
            }
        }
    }

    @Test
    void readableAndWritable() throws IOException {
        Ends ends = ends();
        SelectionKey key = register(ends.right(), selector(), OP_READ | OP_WRITE);
        key.selector().select();
        assertThat(key.readyOps()).isEqualTo(OP_WRITE);
        send(ends.left(), "x", addressOf(ends.right()));
        awaitReady(key, OP_READ);
        assertThat(key.readyOps()).isEqualTo(OP_READ | OP_WRITE);
        key.interestOps(0);
        key.selector().selectedKeys().clear();
        assertThat(key.selector().selectNow()).isZero();
        key.interestOps(OP_READ);
        assertThat(key.selector().selectNow()).isEqualTo(1);
        assertThat(key.readyOps()).isEqualTo(OP_READ);
    }

    @Test
    void selectWaitsForADatagram() throws Exception {
        Ends ends = ends();
        SelectionKey key = register(ends.right(), selector(), OP_READ);
        for (int round = 0; round < 5; round++) {
            Task<Integer> select = start(() -> key.selector().select()).awaitInside("select");
            send(ends.left(), "x", addressOf(ends.right()));
            assertThat(select.result()).isEqualTo(1);
            assertThat(receiveText(ends.right())).isEqualTo("x");
            key.selector().selectedKeys().clear();
        }
        Task<Integer> last = start(() -> key.selector().select()).awaitInside("select");
        key.selector().wakeup();
        assertThat(last.result()).isZero();
        assertThat(key.selector().select(30)).isZero();
    }

    @Test
    void strangersAreSelectedToo() throws Exception {
        Ends ends = ends();
        SelectionKey key = register(ends.right(), selector(), OP_READ);
        for (int round = 0; round < 5; round++) {
            DatagramChannel stranger = bound();
            Task<Integer> select = start(() -> key.selector().select()).awaitInside("select");
            send(stranger, "new", addressOf(ends.right()));
            assertThat(select.result()).isEqualTo(1);
            assertThat(receive(ends.right())).isEqualTo(new Datagram(addressOf(stranger), Bytes.ascii("new")));
            key.selector().selectedKeys().clear();
        }
    }

    @Test
    void severalChannelsOfOneSelector() throws IOException {
        Selector selector = selector();
        DatagramChannel sender = bound();
        List<SelectionKey> keys = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            DatagramChannel receiver = bound();
            warm(sender, receiver);
            keys.add(register(receiver, selector, OP_READ));
        }
        for (int round = 1; round <= keys.size(); round++) {
            Set<SelectionKey> expected = new HashSet<>();
            for (int i = 0; i < keys.size(); i += round) {
                send(sender, "x", addressOf((DatagramChannel) keys.get(i).channel()));
                expected.add(keys.get(i));
            }
            eventually()
                    .until(() ->
                            selector.selectNow() >= 0 && selector.selectedKeys().equals(expected));
            for (SelectionKey key : expected) {
                assertThat(receiveText((DatagramChannel) key.channel())).isEqualTo("x");
            }
            selector.selectedKeys().clear();
            assertThat(selector.selectNow()).isZero();
        }
    }

    @Test
    void cancelledKeyLetsTheChannelBlock() throws Exception {
        Ends ends = ends();
        SelectionKey key = register(ends.right(), selector(), OP_READ);
        send(ends.left(), "selected", addressOf(ends.right()));
        awaitReady(key, OP_READ);
        key.cancel();
        key.selector().selectNow();
        assertThat(ends.right().isRegistered()).isFalse();
        ends.right().configureBlocking(true);
        assertThat(receiveText(ends.right())).isEqualTo("selected");
        Task<String> receiver = start(() -> receiveText(ends.right())).awaitInside("receive");
        send(ends.left(), "waited for", addressOf(ends.right()));
        assertThat(receiver.result()).isEqualTo("waited for");
        SelectionKey again = register(ends.right(), key.selector(), OP_READ);
        send(ends.left(), "selected again", addressOf(ends.right()));
        awaitReady(again, OP_READ);
    }

    @Test
    void closedChannelsKeyIsGone() throws Exception {
        Ends ends = ends();
        SelectionKey key = register(ends.right(), selector(), OP_READ);
        send(ends.left(), "never received", addressOf(ends.right()));
        awaitReady(key, OP_READ);
        InetSocketAddress address = addressOf(ends.right());
        ends.right().close();
        assertThat(key.isValid()).isFalse();
        key.selector().selectNow();
        assertThat(key.selector().keys()).isEmpty();
        assertThat(key.selector().selectedKeys()).isEmpty();
        DatagramChannel next = datagrams().bind(address);
        assertNothingArrives(next);
    }
}
