// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Scanner;
import org.awaitility.Awaitility;

/** A route through a {@link io.accel.nio.contract.relay} on another host. Thread-safe. */
final class RelayRoute implements Route {
    private static final int LIMIT_MILLIS = 60_000;

    private final InetAddress there;
    private final BufferedReader in;
    private final PrintWriter out;

    private RelayRoute(Socket relay) throws IOException {
        relay.setSoTimeout(LIMIT_MILLIS);
        relay.setTcpNoDelay(true);
        this.there = relay.getInetAddress();
        this.in = new BufferedReader(new InputStreamReader(relay.getInputStream(), StandardCharsets.US_ASCII));
        this.out = new PrintWriter(relay.getOutputStream(), true, StandardCharsets.US_ASCII);
    }

    /** Connects to the relay, which may still be starting. The connection lasts as long as this JVM. */
    static Route open(String relay) {
        int colon = relay.lastIndexOf(':');
        InetSocketAddress address =
                new InetSocketAddress(relay.substring(0, colon), Integer.parseInt(relay.substring(colon + 1)));
        try {
            Socket socket = Awaitility.await("the relay on " + address)
                    .atMost(Duration.ofMillis(LIMIT_MILLIS))
                    .ignoreExceptionsMatching(RelayRoute::isNotYetThere)
                    .until(() -> connect(address), connected -> true);
            return new RelayRoute(socket);
        } catch (IOException e) {
            throw new UncheckedIOException("the relay on " + address, e);
        }
    }

    private static boolean isNotYetThere(Throwable e) {
        return e instanceof ConnectException
                || e instanceof NoRouteToHostException
                || e instanceof SocketTimeoutException;
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(address, 5_000);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private synchronized String ask(String line) throws IOException {
        out.println(line);
        String answer = in.readLine();
        if (answer == null) {
            throw new EOFException("the relay has gone; it was asked: " + line);
        }
        if (answer.startsWith("error")) {
            throw new IOException("the relay, asked '" + line + "', said: " + answer);
        }
        return answer;
    }

    private static String words(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + " " + address.getPort();
    }

    @Override
    public InetSocketAddress to(InetSocketAddress listener) throws IOException {
        return new InetSocketAddress(there, Integer.parseInt(ask("stand-in " + words(listener))));
    }

    @Override
    public InetSocketAddress clientOf(InetSocketAddress seen) throws IOException {
        if (!seen.getAddress().equals(there)) {
            return seen; // it came without the relay
        }
        Scanner client = new Scanner(ask("client-of " + seen.getPort()));
        return new InetSocketAddress(InetAddress.getByName(client.next()), client.nextInt());
    }

    @Override
    public InetSocketAddress toNobody() throws IOException {
        return new InetSocketAddress(there, Integer.parseInt(ask("nobody")));
    }

    @Override
    public void closed(InetSocketAddress listener) throws IOException {
        ask("withdraw " + words(listener));
    }

    @Override
    public void endTest() throws IOException {
        ask("end");
    }

    @Override
    public int quietMillis() {
        return 300; // bytes on their way go through two connections and the relay's own buffers
    }
}
