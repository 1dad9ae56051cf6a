// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * TLS over {@code java.net.Socket}. {@code server STORE} says {@code PORT n} and sends back what it gets; {@code client STORE
 * PORT} sends as many bytes as a line of its standard input says, checks what comes back, and answers {@code OK} with the
 * line. The store has the key and its certificate, with the password {@code password}.
 */
public final class SecureEcho {
    private static final char[] PASSWORD = "password".toCharArray();
    private static final int PIECE = 10_000;

    private SecureEcho() {}

    public static void main(String[] args) throws Exception {
        Console console = new Console();
        SSLContext context = context(Path.of(args[1]));
        if (args[0].equals("server")) {
            serve(console, context);
        } else {
            talk(console, context, Integer.parseInt(args[2]));
        }
    }

    private static SSLContext context(Path store) throws GeneralSecurityException, IOException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }

    private static void serve(Console console, SSLContext context) throws IOException {
        try (SSLServerSocket listener = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            listener.setNeedClientAuth(true);
            console.say("PORT " + listener.getLocalPort());
            while (true) {
                try (Socket socket = listener.accept()) {
                    socket.getInputStream().transferTo(socket.getOutputStream());
                    console.say("SERVED");
                }
            }
        }
    }

    private static void talk(Console console, SSLContext context, int port) throws Exception {
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.startHandshake();
            console.say("CONNECTED " + socket.getSession().getProtocol());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (String line = console.next(); !line.equals("END"); line = console.next()) {
                echo(out, in, Integer.parseInt(line));
                console.say("OK " + line);
            }
            socket.shutdownOutput();
            if (in.read() >= 0) {
                throw new IOException("a byte where the end of the stream should be");
            }
        }
        console.say("CLOSED");
    }

    private static void echo(DataOutputStream out, DataInputStream in, int length) throws IOException {
        byte[] piece = new byte[PIECE];
        for (int position = 0; position < length; position += PIECE) {
            int count = Math.min(PIECE, length - position);
            Pattern.at(position, count).get(piece, 0, count);
            out.write(piece, 0, count);
            in.readFully(piece, 0, count);
            Pattern.check(position, ByteBuffer.wrap(piece, 0, count));
        }
    }
}
