// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;

/** The {@code key=value} arguments of a bench program. Immutable. */
public record Parameters(Map<String, String> values) {
    public Parameters {
        values = Map.copyOf(values);
    }

    public static Parameters parse(String[] args) {
        Map<String, String> values = new HashMap<>();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("'" + arg + "' is not key=value");
            }
            values.put(arg.substring(0, equals), arg.substring(equals + 1));
        }
        return new Parameters(values);
    }

    /** The same with one more. */
    public Parameters with(String key, Object value) {
        Map<String, String> more = new HashMap<>(values);
        more.put(key, value.toString());
        return new Parameters(more);
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    public String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("the argument " + key + "=... is missing");
        }
        return value;
    }

    /** Like {@link #text(String)}, for an argument that may be left out. */
    public String text(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    public int number(String key) {
        return Integer.parseInt(text(key));
    }

    /** Like {@link #number(String)}, for an argument that may be left out. */
    public int number(String key, int otherwise) {
        return has(key) ? number(key) : otherwise;
    }

    /** A number of milliseconds, as nanoseconds. */
    public long millis(String key) {
        return number(key) * 1_000_000L;
    }

    /** The server's address: {@code port} at {@code address}, by default the loopback interface. */
    public InetSocketAddress server() throws UnknownHostException {
        return serverAt(number("port"));
    }

    /** Like {@link #server}, if its port is known only now. */
    InetSocketAddress serverAt(int port) throws UnknownHostException {
        return new InetSocketAddress(address(), port);
    }

    /** Any free port at the server's address. */
    public InetSocketAddress anyPort() throws UnknownHostException {
        return new InetSocketAddress(address(), 0);
    }

    private InetAddress address() throws UnknownHostException {
        String address = values.get("address");
        return address == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(address);
    }
}
