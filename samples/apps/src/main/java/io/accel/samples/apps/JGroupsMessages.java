// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import java.io.IOException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;

/** The second member of a group: sends 100 bytes to the first and waits until they are back. Argument: {@code port}. */
public final class JGroupsMessages {
    private static final int MESSAGE_BYTES = 100;
    private static final long PATIENCE_SECONDS = 20;

    /** Hands the lengths of received messages from JGroups' thread to the thread that sends. */
    private final SynchronousQueue<Integer> lengths = new SynchronousQueue<>();

    private final JChannel channel;
    private final Address first;
    private final byte[] message = new byte[MESSAGE_BYTES];

    private JGroupsMessages(JChannel channel) throws Exception {
        this.channel = channel;
        channel.setReceiver(new Receiver() {
            @Override
            public void receive(Message received) {
                hand(received.getLength());
            }
        });
        channel.connect(JGroupsMember.GROUP);
        if (channel.getView().size() != 2) {
            throw new IOException("there are not two members, but " + channel.getView());
        }
        first = channel.getView().getCoord();
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        try (JChannel channel = JGroupsMember.at(Ports.free(), parameters.number("port"))) {
            Operations.execute(new JGroupsMessages(channel)::roundTrip, parameters);
        }
    }

    private void hand(int length) {
        try {
            lengths.put(length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void roundTrip() throws Exception {
        channel.send(first, message);
        Integer length = lengths.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (length == null || length != MESSAGE_BYTES) {
            throw new IOException("a message of " + length + " bytes came back");
        }
    }
}
