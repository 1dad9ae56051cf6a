// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty.bench;

import io.accel.samples.bench.Control;
import io.accel.samples.bench.Event;
import io.accel.samples.bench.Parameters;
import io.accel.samples.netty.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Code that the benches' servers and clients share: event loops, an address, the events of a start. */
final class Ends {
    private static final int BACKLOG = 1024;

    private Ends() {}

    /** The transport that the arguments name; ends the program with a line that says why if it does not work here. */
    static Transport transport(Parameters parameters) {
        Transport transport = Transport.valueOf(parameters.text("transport"));
        Throwable cause = transport.unavailabilityCause();
        if (cause != null) {
            System.err.println("unavailable: " + transport + ": " + cause);
            System.exit(1);
        }
        return transport;
    }

    /** Serves with as many event loops as {@code loops} says, or one, until the program's input ends. */
    static void serve(Parameters parameters, ChannelHandler handler) throws Exception {
        Transport transport = transport(parameters);
        EventLoopGroup group = transport.newGroup(parameters.number("loops", 1));
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(handler)
                .bind(newAddress(transport))
                .sync()
                .channel();
        Control.serveInBackground(threadsOf(group));
        Event.named("ready").with("port", portOf(listener.localAddress())).send();
        listener.closeFuture().sync();
    }

    private static SocketAddress newAddress(Transport transport) throws IOException {
        if (transport != Transport.unix) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        }
        Path directory = Files.createTempDirectory("accel-netty-");
        Path path = directory.resolve("s");
        path.toFile().deleteOnExit();
        directory.toFile().deleteOnExit();
        // Deleted in reverse: the socket, which Netty removes itself when it closes in order, then the directory.
        return new DomainSocketAddress(path.toFile());
    }

    private static Object portOf(SocketAddress address) {
        return address instanceof InetSocketAddress internet
                ? internet.getPort()
                : ((DomainSocketAddress) address).path();
    }

    /** A connection to the server that the arguments name. */
    static Channel connect(Parameters parameters, EventLoopGroup group, ChannelHandler handler)
            throws InterruptedException, UnknownHostException {
        Transport transport = Transport.valueOf(parameters.text("transport"));
        SocketAddress server =
                transport == Transport.unix ? new DomainSocketAddress(parameters.text("port")) : parameters.server();
        return new Bootstrap()
                .group(group)
                .channel(transport.channel())
                .handler(handler)
                .connect(server)
                .sync()
                .channel();
    }

    /** The thread of an event loop, which does all the work. */
    static Thread threadOf(EventExecutor loop) throws Exception {
        return loop.submit(Thread::currentThread).get();
    }

    /** The threads of all event loops of a group. */
    static Thread[] threadsOf(EventLoopGroup group) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (EventExecutor loop : group) {
            threads.add(threadOf(loop));
        }
        return threads.toArray(Thread[]::new);
    }
}
