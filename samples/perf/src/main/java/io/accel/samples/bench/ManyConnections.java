// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.channels.Selector;

/**
 * Opens {@code connections} connections to a {@link SelectorEchoServer}; one of them is then busy. It stops after a few of them
 * and after all, with its heap collected, so that its starter can see the cost of the others. Arguments as for {@link
 * SelectorPingPong}, and {@code few}.
 */
public final class ManyConnections {
    private ManyConnections() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        int size = parameters.number("size");
        int few = parameters.number("few");
        try (Selector selector = Selector.open()) {
            SelectorPingPong client = new SelectorPingPong(selector, size);
            client.open(parameters.server(), few);
            Event.named("few").with("heap", Control.heapInUse()).send();
            Control.awaitGo();
            client.open(parameters.server(), parameters.number("connections") - few);
            Event.named("many").with("heap", Control.heapInUse()).send();
            Control.awaitGo();
            client.run(parameters);
        }
    }
}
