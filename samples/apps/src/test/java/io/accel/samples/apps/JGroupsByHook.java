// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.util.DefaultSocketFactory;

/**
 * Two members of a group that open their channels through JGroups' socket factory, and so by the provider whose class the argument names. One sends the
 * other a message, and says which path it took.
 */
final class JGroupsByHook {
    private static final int MESSAGE_BYTES = 100;

    private JGroupsByHook() {}

    /** The hook: JGroups opens its selectors by this provider, and its channels by these methods, which it leaves to the JVM's provider. */
    private static final class Hook extends DefaultSocketFactory {
        private final SelectorProvider provider;

        Hook(SelectorProvider provider) {
            this.provider = provider;
        }

        @Override
        public SelectorProvider getSelectorProvider() {
            return provider;
        }

        @Override
        public SocketChannel createSocketChannel(String service) throws IOException {
            return provider.openSocketChannel();
        }

        @Override
        public ServerSocketChannel createServerSocketChannel(String service) throws IOException {
            return provider.openServerSocketChannel();
        }
    }

    public static void main(String[] args) throws Exception {
        SelectorProvider provider = Class.forName(args[0])
                .asSubclass(SelectorProvider.class)
                .getConstructor()
                .newInstance();
        int port = Ports.free();
        CompletableFuture<Integer> received = new CompletableFuture<>();
        try (JChannel first = member(port, port, provider);
                JChannel second = member(Ports.free(), port, provider)) {
            first.setReceiver(new Receiver() {
                @Override
                public void receive(Message message) {
                    received.complete(message.getLength());
                }
            });
            first.connect(JGroupsMember.GROUP);
            second.connect(JGroupsMember.GROUP);
            second.send(first.getAddress(), new byte[MESSAGE_BYTES]);
            System.out.println("received " + received.get(30, TimeUnit.SECONDS));
            System.out.println("kernel's " + MappedRings.none());
            System.out.println("the JVM's provider is "
                    + SelectorProvider.provider().getClass().getName());
        }
    }

    private static JChannel member(int port, int firstPort, SelectorProvider provider) throws Exception {
        JChannel channel = JGroupsMember.at(port, firstPort);
        channel.getProtocolStack().getTransport().setSocketFactory(new Hook(provider));
        return channel;
    }
}
