// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One program of the soak. {@code server ADDRESS} serves at two ports, {@code client ADDRESS SEED RESIDENT PORT,PORT} talks to such a
 * server, in several threads; {@code RESIDENT} is {@code true} if neither is ever killed. It does what each line of its standard input
 * says, {@code status}, {@code pause}, {@code resume}, {@code collect}, {@code threads} or {@code talk=PORT,PORT}, answers
 * with a line of fields, and ends with its input.
 */
public final class SoakPeer {
    private static final int TALKERS = 4;
    /** Frames that are said of a thread. */
    private static final int DEEPEST = 16;

    private static final int LONGEST_PAUSE_MILLIS = Wire.PATIENCE_MILLIS + 10_000;

    private final Tally tally = new Tally();
    private final List<Talker> talkers = new ArrayList<>();

    private SoakPeer() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        SoakPeer peer = new SoakPeer();
        InetAddress address = InetAddress.getByName(args[1]);
        if (args[0].equals("server")) {
            peer.serve(address);
        } else {
            peer.talk(address, Long.parseLong(args[2]), Boolean.parseBoolean(args[3]), ports(args[4]));
        }
        peer.obey();
    }

    private static int[] ports(String text) {
        return List.of(text.split(",", -1)).stream().mapToInt(Integer::parseInt).toArray();
    }

    private void serve(InetAddress address) throws IOException {
        SelectorServer selecting = new SelectorServer(tally, address);
        BlockingServer blocking = new BlockingServer(tally, address);
        for (Runnable server : List.of(selecting, blocking)) {
            Thread thread = new Thread(server, server.getClass().getSimpleName());
            thread.setDaemon(true);
            thread.start();
        }
        say("ready ports=" + selecting.port() + "," + blocking.port());
    }

    private void talk(InetAddress address, long seed, boolean resident, int[] ports) {
        for (int i = 0; i < TALKERS; i++) {
            Talker talker = new Talker("talker " + i, tally, resident, seed + i, address, ports);
            talkers.add(talker);
            talker.start();
        }
        say("ready");
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
                    int[] ports = ports(line.substring(line.indexOf('=') + 1));
                    talkers.forEach(talker -> talker.talkTo(ports));
                    say("talking");
                }
            }
        }
    }

    private void status() {
        long oldest = talkers.stream().mapToLong(Talker::age).max().orElse(0);
        say("status " + tally + " oldest=" + oldest + " handovers=" + Handovers.ofThisProcess() + " provider="
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

    /** What the process holds, with what is live on the heap. */
    private static void collect() throws IOException, InterruptedException {
        long used = Long.MAX_VALUE;
        // What a first collection finds to be cleaned up is garbage for the next one.
        for (int i = 0; i < 4; i++) {
            System.gc();
            Thread.sleep(50);
            Runtime runtime = Runtime.getRuntime();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        say("collected " + Held.byThis(used).fields());
    }

    /** Says for humans what Accel's own threads are at, a line each. */
    private static void threads() {
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            if (thread.getName().startsWith("accel")) {
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
