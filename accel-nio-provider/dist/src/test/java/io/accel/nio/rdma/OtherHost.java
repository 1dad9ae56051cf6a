// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** The other host of the lab, through its {@link HostAgent}, which the system property {@code lab.agent=ADDRESS:PORT} names. */
final class OtherHost implements AutoCloseable {
    private static final String AGENT = "lab.agent";
    private static final int LIMIT_MILLIS = 300_000;

    private final Socket agent;
    private final BufferedReader in;
    private final PrintWriter out;
    private final String address;

    OtherHost() throws IOException {
        String[] at = System.getProperty(AGENT).split(":", 2);
        address = at[0];
        agent = connect(Integer.parseInt(at[1]));
        agent.setSoTimeout(LIMIT_MILLIS);
        in = new BufferedReader(new InputStreamReader(agent.getInputStream(), UTF_8));
        out = new PrintWriter(agent.getOutputStream(), true, UTF_8);
    }

    /** The agent may still be starting. */
    private Socket connect(int port) {
        return await("the other host's agent")
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(200))
                .atMost(Duration.ofMillis(LIMIT_MILLIS))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> new Socket(address, port), Objects::nonNull);
    }

    String address() {
        return address;
    }

    /** Starts a server there, in place of the one before; its port. */
    String serve(String... options) throws IOException {
        return ask("serve " + String.join(" ", options));
    }

    /** As {@link #serve}, on another address of that host. */
    String serveAt(String there, String... options) throws IOException {
        return ask("at " + there + " " + String.join(" ", options));
    }

    /** Ends the server. */
    void stopServing() throws IOException {
        Object unused = ask("stop");
    }

    /** Waits for a line of the server that begins so; returns the rest of it. */
    String awaitLine(String prefix) throws IOException {
        return ask("line " + prefix);
    }

    /** Runs a shell command there; returns its output. */
    String shell(String command) throws IOException {
        return ask("sh " + command);
    }

    /** Starts a {@link GroupNode} there. */
    void node(String name, List<String> options, Object... arguments) throws IOException {
        StringBuilder line = new StringBuilder("node ").append(name);
        options.forEach(option -> line.append(' ').append(option));
        line.append(" :");
        for (Object argument : arguments) {
            line.append(' ').append(argument);
        }
        Object unused = ask(line.toString());
    }

    /** Waits for a line of a node that matches. */
    String awaitLineOf(String name, String pattern) throws IOException {
        return ask("of " + name + " " + pattern);
    }

    void kill(String name) throws IOException {
        Object unused = ask("kill " + name);
    }

    private String ask(String request) throws IOException {
        out.println(request.strip());
        String answer = in.readLine();
        if (answer == null || answer.startsWith("error ")) {
            throw new IOException("the other host was asked to '" + request + "': " + answer);
        }
        return answer.strip();
    }

    @Override
    public void close() throws IOException {
        agent.close();
    }
}
