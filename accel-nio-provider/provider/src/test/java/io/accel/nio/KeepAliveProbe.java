// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import jdk.net.ExtendedSocketOptions;

/** A program in a network of its own, which it takes down: keep-alive of one end finds the other unreachable. Says what each end is told. */
final class KeepAliveProbe {
    private static final int ROUNDS = 20;
    private static final long LIMIT_SECONDS = 30;
    /** Longer than keep-alive takes. */
    private static final long SILENCE_MILLIS = 500;

    private KeepAliveProbe() {}

    public static void main(String[] args) throws Exception {
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept()) {
            for (int i = 0; i < ROUNDS; i++) {
                client.write(one());
                server.read(one());
                server.write(one());
                client.read(one());
            }
            client.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 1)
                    .setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 1)
                    .setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 1)
                    .setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            FutureTask<String> atClient = start(() -> told(() -> client.read(one())));
            FutureTask<String> atServer = start(() -> told(() -> server.read(one())));
            loopback("down");
            System.out.println("the client reads: " + atClient.get(LIMIT_SECONDS, TimeUnit.SECONDS));
            System.out.println("and again: " + told(() -> client.read(one())));
            System.out.println("and writes: " + told(() -> client.write(one())));
            System.out.println("the server reads: " + within(atServer, SILENCE_MILLIS));
            loopback("up");
            System.out.println("it writes: " + told(() -> server.write(one())));
            System.out.println("it reads: " + within(atServer, TimeUnit.SECONDS.toMillis(LIMIT_SECONDS)));
            System.out.println("it writes: " + told(() -> server.write(one())));
        }
    }

    private static ByteBuffer one() {
        return ByteBuffer.allocate(1);
    }

    private static FutureTask<String> start(Callable<String> call) {
        FutureTask<String> task = new FutureTask<>(call);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static String told(Callable<Integer> call) throws Exception {
        try {
            return call.call().toString();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static String within(FutureTask<String> task, long millis) throws InterruptedException, ExecutionException {
        try {
            return task.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return "waits";
        }
    }

    private static void loopback(String state) throws IOException, InterruptedException {
        int status = new ProcessBuilder("ip", "link", "set", "lo", state)
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("ip link set lo " + state + " ended with status " + status);
        }
    }
}
