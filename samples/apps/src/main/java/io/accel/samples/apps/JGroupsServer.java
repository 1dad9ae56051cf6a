// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;

/** The first member of a group, which sends each message back to its sender. */
public final class JGroupsServer {
    private JGroupsServer() {}

    /** Runs in a thread of JGroups'. */
    private record Echo(JChannel channel) implements Receiver {
        @Override
        public void receive(Message message) {
            try {
                channel.send(message.getSrc(), message.getArray(), message.getOffset(), message.getLength());
            } catch (Exception e) {
                throw new IllegalStateException("cannot answer " + message.getSrc(), e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int port = Ports.free();
        JChannel channel = JGroupsMember.at(port, port);
        channel.setReceiver(new Echo(channel));
        channel.connect(JGroupsMember.GROUP);
        ServerMain.serve(port);
    }
}
