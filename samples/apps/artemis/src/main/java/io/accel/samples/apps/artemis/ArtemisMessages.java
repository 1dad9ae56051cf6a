// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.artemis;

import io.accel.samples.apps.Operations;
import io.accel.samples.bench.Parameters;
import java.io.IOException;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;

/**
 * Sends a message of 1 KiB, waits until the broker has acknowledged it, and receives it, by Artemis's core client. Argument:
 * {@code port}.
 */
public final class ArtemisMessages {
    private static final String QUEUE = "bench";
    private static final int MESSAGE_BYTES = 1024;
    private static final long PATIENCE_MILLIS = 20_000;

    private final ClientSession session;
    private final ClientProducer producer;
    private final ClientConsumer consumer;
    private final byte[] body = new byte[MESSAGE_BYTES];

    private ArtemisMessages(ClientSession session, ClientProducer producer, ClientConsumer consumer) {
        this.session = session;
        this.producer = producer;
        this.consumer = consumer;
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        try (ServerLocator locator =
                        ActiveMQClient.createServerLocator("tcp://127.0.0.1:" + parameters.number("port"));
                ClientSessionFactory factory =
                        locator.setBlockOnNonDurableSend(true).createSessionFactory();
                ClientSession session = factory.createSession()) {
            session.createQueue(QueueConfiguration.of(QUEUE).setDurable(false));
            session.start();
            try (ClientProducer producer = session.createProducer(QUEUE);
                    ClientConsumer consumer = session.createConsumer(QUEUE)) {
                Operations.execute(new ArtemisMessages(session, producer, consumer)::send, parameters);
            }
        }
    }

    private void send() throws Exception {
        ClientMessage sent = session.createMessage(false);
        sent.getBodyBuffer().writeBytes(body);
        producer.send(sent);
        ClientMessage received = consumer.receive(PATIENCE_MILLIS);
        if (received == null || received.getBodySize() != MESSAGE_BYTES) {
            throw new IOException("the message that came is not the one that was sent: " + received);
        }
        received.acknowledge();
    }
}
