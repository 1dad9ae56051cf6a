// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * {@code HostAgent ADDRESS PORT}: carries out the requests of tests on the other host, until they hang up. One line is one
 * request, and has one line as its answer:
 *
 * <pre>
 *   serve [OPTION...]   starts a {@link NioServer}, in place of the one before; its port
 *   at ADDRESS [OPTION...]
 *                       the same, with a server on another address of the host
 *   stop                ends the server
 *   line PREFIX         waits for a line that the server prints; the rest of it
 *   sh COMMAND          runs a shell command; what it printed
 *   node NAME OPTION... : ARGUMENT...
 *                       starts a {@link GroupNode} beside the others
 *   of NAME PATTERN     waits for a line of that node that matches; the line
 *   kill NAME           kills that node
 * </pre>
 *
 * <p>The answer to a failed request is {@code error} and the reason.
 */
final class HostAgent {
    private final InetAddress here;
    private final Map<String, Program> nodes = new HashMap<>();
    private Program server;

    private HostAgent(InetAddress here) {
        this.here = here;
    }

    public static void main(String[] args) throws IOException {
        InetSocketAddress at = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
        HostAgent agent = new HostAgent(at.getAddress());
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(at);
            try (Socket tests = listener.accept()) {
                agent.obey(tests);
            } finally {
                agent.stop();
            }
        }
    }

    private void obey(Socket tests) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(tests.getInputStream(), UTF_8));
        PrintWriter out = new PrintWriter(tests.getOutputStream(), true, UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(answer(line).replace('\n', ' '));
        }
    }

    private String answer(String line) {
        int space = line.indexOf(' ');
        String verb = space < 0 ? line : line.substring(0, space);
        String rest = space < 0 ? "" : line.substring(space + 1);
        try {
            return switch (verb) {
                case "serve" -> serve(here.getHostAddress(), words(rest));
                case "at" ->
                    serve(words(rest).get(0), words(rest).subList(1, words(rest).size()));
                case "stop" -> stopServer();
                case "line" -> server.await(rest);
                case "sh" -> shell(rest);
                case "node" -> node(rest);
                case "of" ->
                    nodes.get(rest.substring(0, rest.indexOf(' '))).awaitMatch(rest.substring(rest.indexOf(' ') + 1));
                case "kill" -> kill(rest);
                default -> "error no such request";
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "error interrupted";
        } catch (IOException | RuntimeException | AssertionError e) {
            return "error " + e;
        }
    }

    private static List<String> words(String line) {
        return line.isEmpty() ? List.of() : Arrays.asList(line.split(" ", -1));
    }

    private String serve(String address, List<String> options) throws IOException, InterruptedException {
        Object unused = stopServer();
        server = Program.start(options, NioServer.class, address);
        return server.await("port ");
    }

    private String node(String line) throws IOException {
        List<String> words = Arrays.asList(line.split(" ", -1));
        int colon = words.indexOf(":");
        Object[] arguments = words.subList(colon + 1, words.size()).toArray();
        nodes.put(words.get(0), Program.start(words.subList(1, colon), GroupNode.class, arguments));
        return words.get(0);
    }

    private String kill(String name) {
        nodes.remove(name).close();
        return name;
    }

    private void stop() {
        nodes.values().forEach(Program::close);
        nodes.clear();
        Object unused = stopServer();
    }

    private String stopServer() {
        if (server != null) {
            server.close();
            server = null;
        }
        return "stopped";
    }

    /** Runs a shell command; what it printed. */
    static String shell(String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", command)
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("'" + command + "' failed: " + output);
            }
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
