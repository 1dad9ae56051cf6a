// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.TreeSet;

/** Options, addresses, states. */
final class Questions {
    private Questions() {}

    static final List<SocketOption<Boolean>> FLAGS = List.of(
            StandardSocketOptions.TCP_NODELAY,
            StandardSocketOptions.SO_KEEPALIVE,
            StandardSocketOptions.SO_REUSEADDR,
            StandardSocketOptions.SO_REUSEPORT,
            StandardSocketOptions.SO_BROADCAST);

    static final List<SocketOption<Integer>> NUMBERS = List.of(
            StandardSocketOptions.SO_LINGER,
            StandardSocketOptions.IP_TOS,
            StandardSocketOptions.SO_SNDBUF,
            StandardSocketOptions.SO_RCVBUF);

    private static final int LARGE = 1 << 20;

    /** Sets a flag. */
    record SetFlag(int selectable, int option, boolean value) implements Step {
        @Override
        public String run(World world) throws Exception {
            if (!(world.selectable(selectable) instanceof NetworkChannel channel)) {
                return "no channel";
            }
            SocketOption<Boolean> name = FLAGS.get(option);
            channel.setOption(name, value);
            String outcome = name + " " + channel.getOption(name);
            if (name == StandardSocketOptions.TCP_NODELAY) {
                channel.setOption(name, true); // as in Connection
            }
            return outcome;
        }
    }

    /** Sets a number. Sizes are large, so that programs have the room that they count on, and nobody lingers for long. */
    record SetNumber(int selectable, int option, int value) implements Step {
        @Override
        public String run(World world) throws Exception {
            if (!(world.selectable(selectable) instanceof NetworkChannel channel)) {
                return "no channel";
            }
            SocketOption<Integer> name = NUMBERS.get(option);
            channel.setOption(name, option == 0 ? Math.min(value, 1) : option == 1 ? value : LARGE + value);
            return name + " " + channel.getOption(name);
        }
    }

    /** Asks for all options of a channel. */
    record Options(int selectable) implements Step {
        @Override
        public String run(World world) throws Exception {
            if (!(world.selectable(selectable) instanceof NetworkChannel channel)) {
                return "no channel";
            }
            StringBuilder all = new StringBuilder();
            TreeSet<String> names = new TreeSet<>();
            channel.supportedOptions().forEach(option -> names.add(option.name()));
            all.append(names);
            for (SocketOption<?> option : FLAGS) {
                if (channel.supportedOptions().contains(option)) {
                    all.append(' ').append(channel.getOption(option));
                }
            }
            for (SocketOption<Integer> option : NUMBERS.subList(0, 2)) {
                if (channel.supportedOptions().contains(option)) {
                    all.append(' ').append(channel.getOption(option));
                }
            }
            return all.toString();
        }
    }

    /** Asks everything that has an answer at once. */
    record State(int selectable) implements Step {
        @Override
        public String run(World world) throws Exception {
            SelectableChannel channel = world.selectable(selectable);
            if (channel == null) {
                return "no channel";
            }
            StringBuilder all = new StringBuilder(inWords(world, channel));
            all.append(channel.isOpen() ? " open" : " closed")
                    .append(channel.isBlocking() ? " blocking" : " non-blocking")
                    .append(channel.isRegistered() ? " registered " : " not registered ")
                    .append(World.ops(channel.validOps()));
            if (channel instanceof SocketChannel socket) {
                all.append(socket.isConnected() ? " connected" : " not connected")
                        .append(socket.isConnectionPending() ? " pending" : "");
            }
            if (channel instanceof DatagramChannel datagrams) {
                all.append(datagrams.isConnected() ? " connected" : " not connected");
            }
            return all.append(' ')
                    .append(addresses(world, (NetworkChannel) channel))
                    .toString();
        }

        /**
         * The text has a listener's address, which JDK 25's leaves out; the JDK's text of a datagram channel is the one of {@link
         * Object}.
         */
        private static String inWords(World world, SelectableChannel channel) throws IOException {
            if (channel instanceof DatagramChannel) {
                return "datagrams";
            }
            String words = world.plain(channel);
            return channel instanceof ServerSocketChannel listener && channel.isOpen()
                    ? words.replace("[]", "[" + world.plain(listener.getLocalAddress()) + "]")
                    : words;
        }

        private static String addresses(World world, NetworkChannel channel) {
            StringBuilder all = new StringBuilder();
            try {
                all.append(world.plain(channel.getLocalAddress()));
                if (channel instanceof SocketChannel socket) {
                    all.append(' ').append(world.plain(socket.getRemoteAddress()));
                } else if (channel instanceof DatagramChannel datagrams) {
                    all.append(' ').append(world.plain(datagrams.getRemoteAddress()));
                }
            } catch (Exception e) {
                all.append(world.thrown(e));
            }
            return all.toString();
        }
    }

    /** Asks the adaptor. */
    record AdaptorState(int selectable) implements Step {
        @Override
        public String run(World world) throws Exception {
            SelectableChannel channel = world.selectable(selectable);
            if (channel instanceof SocketChannel socket) {
                return world.plain(Adaptors.state(world, socket.socket()));
            }
            if (channel instanceof ServerSocketChannel listener) {
                return world.plain(Adaptors.state(world, listener.socket()));
            }
            if (channel instanceof DatagramChannel datagrams) {
                return world.plain(Adaptors.state(world, datagrams.socket()));
            }
            return "no channel";
        }
    }
}
