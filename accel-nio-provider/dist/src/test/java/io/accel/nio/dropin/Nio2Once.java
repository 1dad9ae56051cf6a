// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A program that knows nothing of Accel: it sends itself a byte through asynchronous channels, gets it back, and prints its path. */
final class Nio2Once {
    private static final int LIMIT_SECONDS = 20;

    private Nio2Once() {}

    public static void main(String[] args) throws Exception {
        try (AsynchronousServerSocketChannel listener = AsynchronousServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                AsynchronousSocketChannel client = AsynchronousSocketChannel.open()) {
            System.out.println("provider " + client.provider().getClass().getPackageName());
            CompletableFuture<AsynchronousSocketChannel> accepted = new CompletableFuture<>();
            listener.accept(null, new CompletionHandler<AsynchronousSocketChannel, Void>() {
                @Override
                public void completed(AsynchronousSocketChannel server, Void attachment) {
                    accepted.complete(server);
                    echo(server);
                }

                @Override
                public void failed(Throwable failure, Void attachment) {
                    failure.printStackTrace();
                }
            });
            await(client.connect(listener.getLocalAddress()));
            await(client.write(ByteBuffer.wrap(new byte[] {7})));
            ByteBuffer answer = ByteBuffer.allocate(8);
            await(client.read(answer));
            System.out.println("read " + answer.get(0));
            System.out.println("kernel's " + SocketsOnce.isKernels());
            await(accepted).close();
        }
    }

    private static <V> V await(Future<V> future) throws Exception {
        return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static void echo(AsynchronousSocketChannel server) {
        ByteBuffer buffer = ByteBuffer.allocate(8);
        server.read(buffer, null, new CompletionHandler<Integer, Void>() {
            @Override
            public void completed(Integer n, Void attachment) {
                if (n > 0) {
                    Future<Integer> unused = server.write(buffer.flip());
                }
            }

            @Override
            public void failed(Throwable failure, Void attachment) {
                failure.printStackTrace();
            }
        });
    }
}
