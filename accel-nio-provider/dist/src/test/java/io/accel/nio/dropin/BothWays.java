// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A program that knows nothing of Accel: one thread reads and another writes through the streams of one channel. Says whether the
 * writer had to wait for the reader. With the argument "wait" it begins when it is told to.
 */
final class BothWays {
    /** Reads until it has met the byte 'x', and waits meanwhile. */
    private interface Reading {
        void run(InputStream in, Path file) throws IOException;
    }

    private static boolean leftTheKernel;

    private BothWays() {}

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("both-ways", null);
        try {
            Files.readAllBytes(file); // through the class that reads channels, too
            if (Arrays.asList(args).contains("wait")) {
                System.out.println("ready");
                System.in.read();
            }
            System.out.println("the JDK lets them " + (Runtime.version().feature() >= 19));
            System.out.println("read " + isWriterFree((in, unused) -> in.read(), file));
            System.out.println("read all " + isWriterFree((in, unused) -> in.readAllBytes(), file));
            System.out.println("transfer to file " + isWriterFree(BothWays::transfer, file));
            System.out.println("in the file " + Files.readString(file));
            System.out.println("by a Unix-domain socket " + isWriterFreeByUnix((in, unused) -> in.read(), file));
            System.out.println("in the wrong mode " + inTheWrongMode());
            System.out.println("left the kernel " + leftTheKernel);
        } finally {
            Files.delete(file);
        }
    }

    private static void transfer(InputStream in, Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            in.transferTo(out);
        }
    }

    private static boolean isWriterFree(Reading reading, Path file) throws Exception {
        try (ServerSocketChannel listener = listener()) {
            return isWriterFree(listener, reading, file);
        }
    }

    private static boolean isWriterFreeByUnix(Reading reading, Path file) throws Exception {
        Path socket = file.resolveSibling(file.getFileName() + ".socket");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            return isWriterFree(listener.bind(UnixDomainSocketAddress.of(socket)), reading, file);
        } finally {
            Files.deleteIfExists(socket);
        }
    }

    private static boolean isWriterFree(ServerSocketChannel listener, Reading reading, Path file) throws Exception {
        try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept()) {
            InputStream in = Channels.newInputStream(client);
            OutputStream out = Channels.newOutputStream(client);
            OutputStream peersOut = Channels.newOutputStream(server);
            InputStream peersIn = Channels.newInputStream(server);
            peersOut.write('a');
            exchange(in.read(), 'a');
            out.write('b');
            exchange(peersIn.read(), 'b');

            Thread reader = start(() -> reading.run(in, file));
            while (!isInChannel(reader)) {
                Thread.onSpinWait();
            }
            Thread writer = start(() -> out.write(7));
            while (writer.isAlive() && !isWaitingFor(client.blockingLock(), writer)) {
                Thread.onSpinWait();
            }
            boolean isFree = !writer.isAlive();
            if (isFree) {
                exchange(peersIn.read(), 7);
            }
            peersOut.write("xyz".getBytes(StandardCharsets.US_ASCII));
            server.shutdownOutput();
            reader.join();
            writer.join();
            leftTheKernel |= !SocketsOnce.isKernels();
            return isFree;
        }
    }

    private static String inTheWrongMode() throws IOException {
        try (ServerSocketChannel listener = listener();
                SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
            client.configureBlocking(false);
            try {
                return "read " + Channels.newInputStream(client).read();
            } catch (IllegalBlockingModeException e) {
                return "refused";
            }
        }
    }

    private static ServerSocketChannel listener() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static void exchange(int got, int sent) {
        if (got != sent) {
            throw new IllegalStateException("got " + got + " for " + sent);
        }
    }

    /** Whether it is in the method in which it waits, whatever lock it holds. */
    private static boolean isInChannel(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .map(StackTraceElement::getClassName)
                .anyMatch(name -> name.endsWith("SocketChannel") || name.endsWith("SocketChannelImpl"));
    }

    private static boolean isWaitingFor(Object lock, Thread thread) {
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
        LockInfo awaited = info == null ? null : info.getLockInfo();
        return awaited != null && awaited.getIdentityHashCode() == System.identityHashCode(lock);
    }

    private interface Work {
        void run() throws IOException;
    }

    private static Thread start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
