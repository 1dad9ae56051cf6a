// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One program of the soak. {@code server ADDRESS [PATH]} serves at two ports, and at the path of a Unix-domain socket; {@code client
 * ADDRESS SEED RESIDENT PORT,PORT[,PATH]} talks to such a server, in several threads; {@code RESIDENT} is {@code true} if neither is ever
 * killed. {@code lasting ADDRESS SEED PORT,PORT} does so over a few connections that last. It does what each line of its standard input says, {@code status}, {@code pause}, {@code resume}, {@code collect}, {@code
 * threads} or {@code talk=PORT,PORT[,PATH]}, answers with a line of fields, and ends with its input.
 */
public final class SoakPeer {
    private static final int TALKERS = 4;
    /** The number of frames that are printed of a thread. */
    private static final int DEEPEST = 16;

    private static final int LONGEST_PAUSE_MILLIS = Wire.PATIENCE_MILLIS + 10_000;

    /** The system property that says that links are broken on purpose. */
    static final String LINKS_BREAK = "soak.links-break";

    private final Tally tally = new Tally(Boolean.getBoolean(LINKS_BREAK));
    private final ResetsTold resetsTold = new ResetsTold(tally);
    private final List<Talker> talkers = new ArrayList<>();

    private final InetAddress address;

    private SoakPeer(InetAddress address) {
        this.address = address;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        SoakPeer peer = new SoakPeer(InetAddress.getByName(args[1]));
        peer.resetsTold.listen();
        if (args[0].equals("server")) {
            peer.serve(args.length > 2 ? Path.of(args[2]) : null);
        } else if (args[0].equals("lasting")) {
            peer.talkLong(Long.parseLong(args[2]), peer.addresses(args[3]));
        } else {
            peer.talk(Long.parseLong(args[2]), Boolean.parseBoolean(args[3]), peer.addresses(args[4]));
        }
        peer.obey();
    }

    private List<SocketAddress> addresses(String text) {
        return Stream.of(text.split(",", -1))
                .<SocketAddress>map(each -> each.startsWith("/")
                        ? UnixDomainSocketAddress.of(each)
                        : new InetSocketAddress(address, Integer.parseInt(each)))
                .toList();
    }

    private void serve(Path path) throws IOException {
        SelectorServer selecting = new SelectorServer(tally, address, path);
        BlockingServer blocking = new BlockingServer(tally, address);
        for (Runnable server : List.of(selecting, blocking)) {
            Thread thread = new Thread(server, server.getClass().getSimpleName());
            thread.setDaemon(true);
            thread.start();
        }
        say("ready ports=" + selecting.port() + "," + blocking.port() + (path == null ? "" : "," + path));
    }

    private void talk(long seed, boolean resident, List<SocketAddress> addresses) {
        for (int i = 0; i < TALKERS; i++) {
            start(new Talker("talker " + i, tally, resident, seed + i, addresses));
        }
        say("ready");
    }

    private void talkLong(long seed, List<SocketAddress> addresses) {
        SplittableRandom seeds = new SplittableRandom(seed);
        for (Wire.Way way : Wire.Way.values()) {
            start(new LastingTalker(way, tally, seeds.nextLong(), addresses));
        }
        say("ready");
    }

    private void start(Talker talker) {
        talkers.add(talker);
        talker.start();
    }

    private void obey() throws IOException, InterruptedException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            switch (line) {
                case "status" -> status();
                case "pause" -> pause();
                case "resume" -> {
                    talkers.forEach(talker -> talker.pause(false));
                    say("resumed");
                }
                case "collect" -> collect();
                case "threads" -> threads();
                default -> {
                    List<SocketAddress> addresses = addresses(line.substring(line.indexOf('=') + 1));
                    talkers.forEach(talker -> talker.talkTo(addresses));
                    say("talking");
                }
            }
        }
    }

    private void status() {
        long oldest = talkers.stream().mapToLong(Talker::age).max().orElse(0);
        say("status " + tally + " excepted=" + resetsTold.excepted() + " oldest=" + oldest + " handovers="
                + Handovers.ofThisProcess() + " linkslost="
                + Handovers.linksLost() + " rdmabytes=" + Handovers.bytesOverRdma() + " provider="
                + SelectorProvider.provider().getClass().getName());
    }

    private void pause() throws InterruptedException {
        talkers.forEach(talker -> talker.pause(true));
        for (int waited = 0; waited < LONGEST_PAUSE_MILLIS; waited += 10) {
            if (talkers.stream().allMatch(Talker::isIdle)) {
                break;
            }
            Thread.sleep(10);
        }
        for (Talker talker : talkers) {
            if (!talker.isIdle()) {
                tally.failed(true, false, talker.getName() + " hangs: " + talker.doing());
                for (StackTraceElement frame : talker.getStackTrace()) {
                    System.err.println("    at " + frame);
                }
            }
        }
        say("paused");
    }

    /** The resources that the process holds, with the live part of the heap. */
    private static void collect() throws IOException, InterruptedException {
        long used = Long.MAX_VALUE;
        // Objects that a first collection hands to cleaners are garbage for the next collection.
        for (int i = 0; i < 4; i++) {
            System.gc();
            Thread.sleep(50);
            Runtime runtime = Runtime.getRuntime();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        say("collected " + Held.byThis(used).fields());
    }

    /** Prints for people what the threads of Accel and of this program are doing, a line each. */
    private static void threads() {
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            if (Stream.of(frames).anyMatch(frame -> frame.getClassName().startsWith("io.accel."))) {
                say(thread.getName() + ", " + thread.getState() + ": "
                        + Stream.of(frames)
                                .limit(DEEPEST)
                                .map(frame -> frame.getClassName().replaceFirst(".*\\.", "")
                                        + '.'
                                        + frame.getMethodName()
                                        + ':'
                                        + frame.getLineNumber())
                                .collect(Collectors.joining(" < ")));
            }
        });
        say("told");
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
