// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The C programs with which everybody measures RDMA: how to start them, and how to read their output. */
enum NativeProgram {
    /** rdma-core's, over rsocket: streams through socket calls, like Accel's. Reports means only. */
    RSTREAM_LATENCY("rstream", 64) {
        @Override
        List<String> arguments(int port, long count, String address) {
            return rstream(port, address, "-I", Long.toString(count), "-C", "1");
        }

        @Override
        Figures read(String output) throws IOException {
            return mean(2 * rstreamMicros(output));
        }
    },
    /** It sends all one way, then all the other way. */
    RSTREAM_BANDWIDTH("rstream", 64 * 1024) {
        @Override
        List<String> arguments(int port, long count, String address) {
            return rstream(port, address, "-I", "1", "-C", Long.toString(Math.max(1, count / 2)));
        }

        @Override
        Figures read(String output) throws IOException {
            return mean(rstreamMicros(output));
        }
    },
    /** perftest's: bare RDMA writes from a processor that looks at memory, the least possible. Reports half a round trip. */
    IB_WRITE_LAT("ib_write_lat", 64) {
        @Override
        List<String> arguments(int port, long count, String address) {
            return perftest(port, count, address);
        }

        @Override
        Figures read(String output) throws IOException {
            double[] line = perftestLine(output, 9);
            Figures mean = mean(2 * line[5]);
            return new Figures(
                    2 * line[4],
                    2 * line[7],
                    2 * line[8],
                    mean.messagesPerSecond(),
                    mean.bytesPerSecond(),
                    Double.NaN,
                    Double.NaN);
        }
    },
    /** perftest's: sends over unreliable-datagram queue pairs, the verbs' own datagrams. */
    IB_SEND_LAT_UD("ib_send_lat", 64) {
        @Override
        List<String> arguments(int port, long count, String address) {
            List<String> arguments = perftest(port, count, address);
            arguments.addAll(0, List.of("-c", "UD"));
            return arguments;
        }

        @Override
        Figures read(String output) throws IOException {
            return IB_WRITE_LAT.read(output);
        }
    },
    IB_WRITE_BW("ib_write_bw", 64 * 1024) {
        @Override
        List<String> arguments(int port, long count, String address) {
            List<String> arguments = perftest(port, count, address);
            arguments.add(0, "--report_gbits");
            return arguments;
        }

        @Override
        Figures read(String output) throws IOException {
            double bytes = perftestLine(output, 5)[3] * 1e9 / 8;
            return mean(1e6 * bytes() / bytes);
        }
    };

    private final String program;
    private final int bytes;

    NativeProgram(String program, int bytes) {
        this.program = program;
        this.bytes = bytes;
    }

    /** The command's name. */
    String program() {
        return program;
    }

    /** The size of a message. */
    int bytes() {
        return bytes;
    }

    /** The arguments after the command's name; {@code address} is null for the server. */
    abstract List<String> arguments(int port, long count, String address);

    /** The figures in the client's output. */
    abstract Figures read(String output) throws IOException;

    /** The program for a measurement of this kind. */
    static NativeProgram of(Variant variant, Kind kind) {
        if (variant == Variant.RSTREAM) {
            return kind.measuresLatency() ? RSTREAM_LATENCY : RSTREAM_BANDWIDTH;
        }
        if (kind == Kind.DATAGRAM_PINGPONG) {
            return IB_SEND_LAT_UD;
        }
        return kind.measuresLatency() ? IB_WRITE_LAT : IB_WRITE_BW;
    }

    /** Figures with the mean time of an operation alone. */
    Figures mean(double micros) {
        double nan = Double.NaN;
        return new Figures(nan, nan, nan, 1e6 / micros, bytes * 1e6 / micros, nan, nan);
    }

    /** Both ends need the same. */
    List<String> rstream(int port, String address, String... how) {
        List<String> arguments = new ArrayList<>(List.of("-p", Integer.toString(port)));
        arguments.addAll(List.of("-S", Integer.toString(bytes)));
        arguments.addAll(List.of(how));
        if (address != null) {
            arguments.addAll(List.of("-s", address));
        }
        return arguments;
    }

    List<String> perftest(int port, long count, String address) {
        // -R: connected by rdma_cm, as Accel and rstream are. -F: no complaint about the clock's frequency.
        List<String> arguments = new ArrayList<>(List.of("-R", "-F", "-p", Integer.toString(port)));
        arguments.addAll(List.of("-s", Integer.toString(bytes), "-n", Long.toString(count)));
        if (address != null) {
            arguments.add(address);
        }
        return arguments;
    }

    /** The last number of the line below the heading: microseconds for each transfer; a round trip has two. */
    double rstreamMicros(String output) throws IOException {
        List<String> lines = output.lines().toList();
        for (int i = 1; i < lines.size(); i++) {
            String[] fields = lines.get(i).trim().split("\\s+", -1);
            if (lines.get(i - 1).trim().endsWith("usec/xfer") && fields[fields.length - 1].matches("[0-9.]+")) {
                double micros = Double.parseDouble(fields[fields.length - 1]);
                if (micros > 0) {
                    return micros;
                }
            }
        }
        throw new IOException(program + " gave no figures; it said:\n" + output);
    }

    /** The line of figures below the heading. */
    double[] perftestLine(String output, int columns) throws IOException {
        for (String line : output.lines().toList()) {
            String[] fields = line.trim().split("\\s+", -1);
            if (fields.length >= columns && fields[0].equals(String.format(Locale.ROOT, "%d", bytes))) {
                double[] figures = new double[fields.length];
                for (int i = 0; i < figures.length; i++) {
                    // The deviation of figures that are all alike comes out as "-nan".
                    figures[i] = fields[i].matches("[0-9.]+") ? Double.parseDouble(fields[i]) : Double.NaN;
                }
                return figures;
            }
        }
        throw new IOException(program + " gave no figures; it said:\n" + output);
    }
}
