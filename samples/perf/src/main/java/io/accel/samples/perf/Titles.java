// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Map;

/** A description of each case, in a few words. */
final class Titles {
    private static final Map<String, String> TITLES = Map.ofEntries(
            Map.entry("raw", "the machine's own limits: one cache line between two JVMs, and a copy in memory"),
            Map.entry("pingpong-64", "64 B there and back, through a selector"),
            Map.entry("pingpong-64-blocking", "64 B there and back, blocking"),
            Map.entry("unix-pingpong-64", "64 B there and back over a Unix-domain socket, blocking"),
            Map.entry("stream-64k", "64 KiB a write, one way"),
            Map.entry("stream-64", "64 B a write, one way"),
            Map.entry("kernel-pingpong-64", "64 B there and back with a peer that has no Accel"),
            Map.entry("kernel-stream-64k", "64 KiB a write to a peer that has no Accel"),
            Map.entry("idle-1", "64 B there and back, one connection alone"),
            Map.entry("idle-1000", "64 B there and back, a thousand connections open"),
            Map.entry("burst-2000", "64 B there and back, 100 ms after 2,000 others had a message each"),
            Map.entry("crowded-one-core", "64 B there and back through a selector, both ends on one processor"),
            Map.entry("crowded-one-core-blocking", "64 B there and back, blocking, both ends on one processor"),
            Map.entry("crowded-one-core-netty", "64 B there and back between Netty programs on one processor"),
            Map.entry("crowded-hog", "64 B there and back through a selector, a busy loop on the same processor"),
            Map.entry("crowded-hog-blocking", "64 B there and back, blocking, a busy loop on the same processor"),
            Map.entry(
                    "crowded-hog-netty", "64 B there and back between Netty programs, a busy loop on their processor"),
            Map.entry("crowded-4x4", "64 B there and back, four clients and four event loops on two processors"),
            Map.entry(
                    "crowded-4x4-defaults",
                    "64 B there and back, four clients and four event loops on two processors, moved when that has paid off"),
            Map.entry(
                    "crowded-4x4-netty",
                    "64 B there and back between Netty programs with four event loops each, on two processors"),
            Map.entry("virtual-threads", "64 B there and back, eight virtual threads on one carrier at either end"),
            Map.entry(
                    "virtual-sleeper-read",
                    "how late a virtual thread wakes beside another that reads from a channel, on one carrier"),
            Map.entry(
                    "virtual-sleeper-write",
                    "how late a virtual thread wakes beside another that writes to a channel that is full, on one carrier"),
            Map.entry(
                    "virtual-sleeper-select",
                    "how late a virtual thread wakes beside another that selects, on one carrier"),
            Map.entry(
                    "virtual-sleeper-stream",
                    "how late a virtual thread wakes beside another that reads a java.net.Socket's stream, on one carrier"),
            Map.entry(
                    "virtual-sleeper-accept",
                    "how late a virtual thread wakes beside another that accepts connections, on one carrier"),
            Map.entry(
                    "virtual-sleeper-datagram",
                    "how late a virtual thread wakes beside another that receives datagrams, on one carrier"),
            Map.entry(
                    "crowded-one-core-virtual",
                    "64 B there and back between virtual threads, both ends on one processor"),
            Map.entry(
                    "crowded-hog-virtual",
                    "64 B there and back between virtual threads, a busy loop on their processor"),
            Map.entry("crowded-quota", "64 B there and back through a selector, half a processor for each end"),
            Map.entry("crowded-quota-blocking", "64 B there and back, blocking, half a processor for each end"),
            Map.entry("crowded-quota-netty", "64 B there and back between Netty programs, half a processor for each"),
            Map.entry(
                    "crowded-quota-virtual",
                    "64 B there and back between virtual threads, half a processor for each end"),
            Map.entry("idle-10000", "64 B there and back, ten thousand connections open"),
            Map.entry("paced", "64 B there and back, a request each 2 ms on each of eight connections"),
            Map.entry("connect-close", "connections that are opened, accepted and closed"),
            Map.entry("connect-echo-close", "connections for one message of 64 B there and back"),
            Map.entry("reuseport", "connections for one message each, to four listeners on one port"),
            Map.entry("exchange-1m", "1 MiB that both ends write before either reads"),
            Map.entry("transfer-to", "files of 16 MiB, sent by FileChannel.transferTo"),
            Map.entry("transfer-from", "files of 16 MiB, received by FileChannel.transferFrom"),
            Map.entry("kernel-transfer-to", "files of 16 MiB, by transferTo to a peer that has no Accel"),
            Map.entry("kernel-transfer-from", "files of 16 MiB, by transferFrom from a peer that has no Accel"),
            Map.entry("kernel-interest", "an interest set that is changed to and fro, with selections"),
            Map.entry(
                    "kernel-registration", "a channel that is registered and whose key is cancelled, with selections"),
            Map.entry("kernel-mode", "a channel that goes to blocking mode and back"),
            Map.entry("udp-1-peer", "64 B datagrams there and back, the one peer of a server, eight at a time"),
            Map.entry("udp-200-peers", "64 B datagrams there and back, one of 200 peers of a server, eight at a time"),
            Map.entry("timers", "how late tasks run that a Netty event loop is to run in 200 us"),
            Map.entry("idle-cpu", "a hundred connections on which nothing moves"),
            Map.entry("netty-echo-64", "64 B there and back between Netty programs"),
            Map.entry("netty-stream-64k", "64 KiB a write between Netty programs, one way"),
            Map.entry("datagram-64", "64 B datagrams there and back"),
            Map.entry("datagram-rate-64", "64 B datagrams one way"),
            Map.entry("multicast-64", "64 B to a multicast group, three answers"),
            Map.entry("multicast-rate-64", "64 B to a multicast group of three"),
            Map.entry("netty-http", "small HTTP answers of a Netty server, over eight connections"),
            Map.entry(
                    "young-pairs",
                    "64 B there and back in the first four seconds: four blocking clients, four event loops"),
            Map.entry("young-selector", "64 B there and back in the first four seconds, four clients by selectors"),
            Map.entry("young-new", "connections for one message each in the first four seconds, in four threads"),
            Map.entry("young-udp-query", "questions by a DatagramChannel each in the first four seconds"),
            Map.entry("young-udp-query-socket", "questions by a DatagramSocket each in the first four seconds"),
            Map.entry("young-netty", "64 B there and back between Netty's NIO programs in the first four seconds"),
            Map.entry(
                    "young-http", "small answers of the JDK's HttpServer to its HttpClient in the first four seconds"),
            Map.entry("rdma-pingpong-64", "64 B there and back over the RDMA device"),
            Map.entry("rdma-stream-64k", "64 KiB a write over the RDMA device, one way"),
            Map.entry("rdma-datagram-64", "64 B datagrams over the RDMA device, there and back"));

    private Titles() {}

    /** Empty for what is no case. */
    static String of(String benchCase) {
        return TITLES.getOrDefault(benchCase, "");
    }
}
