// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Encodes a {@link ProcessSample} as bytes. Figures go by name, so that a reader of another version shows those that
 * it knows. The bytes to decode were written by another process: nonsense is an {@link IOException}.
 */
final class SampleCodec {
    private static final int VERSION = 2;
    private static final int LONGEST_TEXT = 300;

    private SampleCodec() {}

    static byte[] encode(ProcessSample sample) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(VERSION);
            out.writeLong(sample.pid());
            write(out, sample.host());
            write(out, sample.command());
            write(out, sample.profile());
            out.writeLong(sample.startedMillis());
            out.writeLong(sample.takenMillis());
            out.writeLong(sample.takenNanos());
            out.writeInt(sample.figures().size());
            for (Map.Entry<String, Long> figure : sample.figures().entrySet()) {
                out.writeUTF(figure.getKey());
                out.writeLong(figure.getValue());
            }
            out.writeInt(Figure.values().length);
            for (Figure figure : Figure.values()) {
                out.writeUTF(figure.text());
            }
            out.writeInt(sample.connections().size());
            for (ConnectionSample connection : sample.connections()) {
                write(out, connection);
            }
            out.writeInt(sample.omitted());
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new IllegalStateException("an array does not take what is written", e);
        }
    }

    private static void write(DataOutputStream out, ConnectionSample connection) throws IOException {
        out.writeLong(connection.id());
        write(out, connection.role());
        write(out, connection.path());
        write(out, connection.reason());
        write(out, connection.detail());
        write(out, connection.state());
        write(out, connection.local());
        write(out, connection.remote());
        out.writeLong(connection.openedMillis());
        out.writeLong(connection.queuedIn());
        out.writeLong(connection.queuedOut());
        out.writeLong(connection.stalledNanos());
        for (Figure figure : Figure.values()) {
            out.writeLong(connection.figures().get(figure));
        }
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        out.writeUTF(text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "...");
    }

    static ProcessSample decode(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int version = in.readInt();
        if (version != VERSION) {
            throw new IOException("its samples are of version " + version + ", this tool reads version " + VERSION
                    + "; use the tool of its own Accel");
        }
        long pid = in.readLong();
        String host = in.readUTF();
        String command = in.readUTF();
        String profile = in.readUTF();
        long started = in.readLong();
        long taken = in.readLong();
        long takenNanos = in.readLong();
        Map<String, Long> figures = new TreeMap<>();
        for (int i = count(in); i > 0; i--) {
            String name = in.readUTF();
            figures.put(name, in.readLong());
        }
        List<Figure> columns = new ArrayList<>();
        for (int i = count(in); i > 0; i--) {
            columns.add(figure(in.readUTF()));
        }
        List<ConnectionSample> connections = new ArrayList<>();
        for (int i = count(in); i > 0; i--) {
            connections.add(readConnection(in, columns));
        }
        return new ProcessSample(
                pid, host, command, profile, started, taken, takenNanos, figures, connections, in.readInt());
    }

    private static ConnectionSample readConnection(DataInputStream in, List<Figure> columns) throws IOException {
        Figures figures = new Figures();
        ConnectionSample connection = new ConnectionSample(
                in.readLong(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readUTF(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                figures);
        for (Figure column : columns) {
            long value = in.readLong();
            if (column != null) {
                figures.add(column, value);
            }
        }
        return connection;
    }

    private static Figure figure(String text) {
        for (Figure figure : Figure.values()) {
            if (figure.text().equals(text)) {
                return figure;
            }
        }
        return null;
    }

    private static int count(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > ProcessSample.MOST_CONNECTIONS) {
            throw new IOException("its sample is damaged: a list of " + count);
        }
        return count;
    }
}
