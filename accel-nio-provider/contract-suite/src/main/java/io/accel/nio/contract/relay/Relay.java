// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.relay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

/**
 * {@code Relay ADDRESS PORT}: serves one suite, which connects to that port, and ends with it. The suite sends lines and gets a
 * line for each:
 *
 * <pre>
 *   stand-in ADDRESS PORT   a port here whose connections are passed on to that listener; the same for the same listener
 *   withdraw ADDRESS PORT   nothing is passed on to that listener any more: its stand-in refuses
 *   nobody                  a port here on which nothing listens
 *   client-of PORT          address and port of the client whose connection is passed on from that port
 *   end                     a test is over: forgets all of the above
 * </pre>
 *
 * <p>The answer to a request that fails is {@code error} and the reason. The control connection is a plain socket, which no
 * provider sees.
 */
final class Relay {
    private static final String DONE = "done";

    private final InetAddress here;
    private final Map<InetSocketAddress, StandIn> standIns = new HashMap<>();
    private final List<SocketChannel> nobodies = new ArrayList<>();
    private final Clients clients = new Clients();

    private Relay(InetAddress here) {
        this.here = here;
    }

    public static void main(String[] args) throws IOException {
        InetSocketAddress at = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        Relay relay = new Relay(at.getAddress());
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(at);
            System.out.println("relay: on " + at);
            try (Socket suite = listener.accept()) {
                suite.setTcpNoDelay(true);
                relay.serve(suite);
            }
        }
        System.out.println("relay: the suite is over; passed on " + relay.clients.total() + " connections");
        System.exit(0); // connections that tests have left open end with them
    }

    private void serve(Socket suite) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(suite.getInputStream(), StandardCharsets.US_ASCII));
        PrintWriter out = new PrintWriter(suite.getOutputStream(), true, StandardCharsets.US_ASCII);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = answer(new Scanner(line));
            } catch (IOException | RuntimeException e) {
                answer = "error " + e;
            }
            out.println(answer);
        }
    }

    private String answer(Scanner words) throws IOException {
        return switch (words.next()) {
            case "stand-in" -> String.valueOf(standIn(address(words)).port());
            case "withdraw" -> withdraw(address(words));
            case "nobody" -> String.valueOf(nobody());
            case "client-of" -> {
                InetSocketAddress client = clients.behind(words.nextInt());
                yield client.getAddress().getHostAddress() + " " + client.getPort();
            }
            case "end" -> end();
            default -> throw new IllegalArgumentException("no such request");
        };
    }

    private StandIn standIn(InetSocketAddress listener) throws IOException {
        StandIn standIn = standIns.get(listener);
        if (standIn == null) {
            standIn = new StandIn(here, listener, clients);
            standIns.put(listener, standIn);
        }
        return standIn;
    }

    private String withdraw(InetSocketAddress listener) throws IOException {
        StandIn standIn = standIns.remove(listener);
        if (standIn != null) {
            standIn.close();
        }
        return DONE;
    }

    private int nobody() throws IOException {
        SocketChannel nobody = SocketChannel.open().bind(new InetSocketAddress(here, 0));
        nobodies.add(nobody);
        return ((InetSocketAddress) nobody.getLocalAddress()).getPort();
    }

    private String end() throws IOException {
        for (StandIn standIn : standIns.values()) {
            standIn.close();
        }
        standIns.clear();
        for (SocketChannel nobody : nobodies) {
            nobody.close();
        }
        nobodies.clear();
        clients.clear();
        return DONE;
    }

    private static InetSocketAddress address(Scanner words) throws IOException {
        return new InetSocketAddress(InetAddress.getByName(words.next()), words.nextInt());
    }
}
