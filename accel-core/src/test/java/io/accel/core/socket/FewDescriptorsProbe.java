package io.accel.core.socket;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs in a JVM that may open few files: clients that wait to be accepted must not make the rendezvous thread spin. */
final class FewDescriptorsProbe {
    private FewDescriptorsProbe() {}

    public static void main(String[] args) throws Exception {
        try (Lab lab = new Lab("low-cpu", Map.of("handshake.timeout", "60s"))) {
            lab.connect().close(); // loads what takes descriptors of its own, as does the next line
            rendezvousCpu();
            List<SocketChannel> clients = new ArrayList<>();
            Path rendezvous = lab.content().stream()
                    .filter(file -> file.getFileName().toString().equals("s"))
                    .findFirst()
                    .orElseThrow();
            boolean full = false;
            while (!full) {
                full = !dial(rendezvous, clients);
            }
            long cpuBefore = rendezvousCpu();
            Thread.sleep(1_000);
            System.out.println("cpu ms " + (rendezvousCpu() - cpuBefore) / 1_000_000);
            for (SocketChannel client : clients) {
                client.close();
            }
            Thread.sleep(500);
            lab.connect().close();
            System.out.println("connected again, " + Files.isDirectory(lab.dir));
        }
    }

    private static boolean dial(Path rendezvous, List<SocketChannel> clients) throws InterruptedException {
        try {
            SocketChannel client = JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX);
            clients.add(client);
            client.connect(UnixDomainSocketAddress.of(rendezvous));
            Thread.sleep(1); // for the listener to take its own descriptor for it
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static long rendezvousCpu() {
        var threads = ManagementFactory.getThreadMXBean();
        for (long id : threads.getAllThreadIds()) {
            var info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().equals("accel-rendezvous")) {
                return threads.getThreadCpuTime(id);
            }
        }
        throw new AssertionError("no rendezvous thread");
    }
}
