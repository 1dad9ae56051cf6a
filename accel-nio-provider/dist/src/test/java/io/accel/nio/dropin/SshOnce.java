// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.keyverifier.AcceptAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.password.AcceptAllPasswordAuthenticator;
import org.apache.sshd.server.command.AbstractCommandSupport;

/**
 * A program that knows nothing of Accel: a server and a client of Apache MINA SSHD's. Says what the server answers to a command, by which
 * channels, and whether the kernel carries them.
 */
final class SshOnce {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private SshOnce() {}

    public static void main(String[] args) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair key = generator.generateKeyPair();
        try (SshServer server = SshServer.setUpDefaultServer();
                SshClient client = SshClient.setUpDefaultClient()) {
            server.setHost("127.0.0.1");
            server.setPort(0);
            server.setKeyPairProvider(KeyPairProvider.wrap(key));
            server.setPasswordAuthenticator(AcceptAllPasswordAuthenticator.INSTANCE);
            server.setCommandFactory((channel, command) -> new Answer(command));
            server.start();
            client.setServerKeyVerifier(AcceptAllServerKeyVerifier.INSTANCE);
            client.start();
            try (ClientSession session = client.connect("somebody", "127.0.0.1", server.getPort())
                    .verify(LIMIT)
                    .getSession()) {
                session.addPasswordIdentity("secret");
                session.auth().verify(LIMIT);
                System.out.println(session.executeRemoteCommand("what"));
                System.out.println(
                        "by " + client.getIoServiceFactory().getClass().getSimpleName());
                System.out.println("kernel's " + SocketsOnce.isKernels());
            }
        }
    }

    /** Answers a command by itself. */
    private static final class Answer extends AbstractCommandSupport {
        Answer(String command) {
            super(command, null);
        }

        @Override
        public void run() {
            try {
                getOutputStream().write(("you said " + getCommand()).getBytes(StandardCharsets.UTF_8));
                getOutputStream().flush();
                onExit(0);
            } catch (IOException e) {
                onExit(1, e.toString());
            }
        }
    }
}
