// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.socket.Faults.Step;
import io.accel.core.socket.StarvedAnchor.Asked;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The peer of {@link PeerFaultsTest}, in a process of its own. Its argument is the test's directory. It says its port, and then does what
 * it is told, a line at a time.
 */
final class PeerFaultsProbe {
    /** Code that may run while there are no descriptors. */
    private static final Pattern LOADED = Pattern.compile(
            "io\\.accel\\.core\\.(daemon|fabric|fabric\\.shm|jdk|observe|poll|socket|stream)\\.\\w+(\\$\\w+)*\\.class");

    private final FaultLab lab;
    private final SynchronousQueue<String> verdicts = new SynchronousQueue<>();
    private final List<FileInputStream> ballast = new ArrayList<>();
    /** Sends as it is told, in the order of the requests, and reports in the same order. */
    private final Executor sender = Executors.newSingleThreadExecutor(PeerFaultsProbe::daemon);

    private final Executor ender = Executors.newSingleThreadExecutor(PeerFaultsProbe::daemon);
    private CheckedStream stream;
    /** The step at which to be held up; null for none. */
    private Step armed;
    /** How often the thread that takes connections back has sent something since the link broke; -1 before. */
    private int sends = -1;

    private PeerFaultsProbe(FaultLab lab) {
        this.lab = lab;
    }

    public static void main(String[] args) throws Exception {
        try (FaultLab lab = new FaultLab(PeerFaultsTest.PRESET, PeerFaultsTest.SETTINGS, Path.of(args[0]));
                BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            PeerFaultsProbe probe = new PeerFaultsProbe(lab);
            lab.faults.newsMicros = -1;
            lab.faults.steps = probe::come;
            lab.lab.anchors = channel -> new StarvedAnchor(new ChannelAnchor(channel), probe::comeBack);
            // Loads the files that logging needs.
            System.getLogger("io.accel").log(System.Logger.Level.INFO, "a peer for faults");
            System.out.println("port " + lab.lab.address.getPort());
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                probe.obey(order.split(" ", -1));
            }
        }
    }

    private void obey(String[] order) throws Exception {
        switch (order[0]) {
            case "connect" -> {
                InetAddress loopback = lab.lab.address.getAddress();
                stream = checked(lab.lab.client(new InetSocketAddress(loopback, Integer.parseInt(order[1]))), true);
            }
            case "accept" -> stream = checked(lab.lab.accept(), false);
            case "arm" -> arm(Step.valueOf(order[1]));
            case "go", "starve" -> verdicts.put(order[0]);
            case "send" -> {
                CheckedStream told = stream;
                later(sender, () -> told.send(Integer.parseInt(order[1])).get());
            }
            case "moved" -> say("moved " + stream.isMoved());
            case "fix" -> {
                stream.socket().outgoing().fix();
                say("fixed");
            }
            case "break" -> {
                lab.faults.isResumable = true;
                breakLink();
                say("broken");
            }
            case "few" -> takeDescriptors();
            case "many" -> {
                giveDescriptorsBack();
                say("many");
            }
            case "end" -> {
                CheckedStream ended = stream;
                later(ender, () -> end(ended));
            }
            case "left" -> say("left " + lab.faults.out() + ", mappings " + lab.lab.mappings());
            default -> throw new IllegalArgumentException(order[0]);
        }
    }

    private static String end(CheckedStream ended) throws Exception {
        try {
            ended.socket().shutdownOutput();
        } catch (IOException e) {
            System.out.println("is over already: " + e);
        }
        String end = "ended: " + ended.end(20);
        Lab.close(ended.socket());
        return end;
    }

    private CheckedStream checked(StreamSocket socket, boolean isClient) {
        synchronized (this) {
            sends = -1;
        }
        say("connected");
        return new CheckedStream(lab.lab.accelerator.waits(), socket, isClient);
    }

    private static void later(Executor by, Callable<String> what) {
        by.execute(() -> {
            try {
                say(what.call());
            } catch (Exception | Error e) {
                say("failed: " + e);
            }
        });
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    private static synchronized void say(String line) {
        System.out.println(line);
    }

    private synchronized void arm(Step step) {
        armed = step;
    }

    /** Whether this has made the file of a link, and mapped it. */
    private boolean hasFile() {
        try {
            return lab.lab.mappings() > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Comes to a step. If it is the chosen step, reports it, and waits for further orders. */
    private void come(Step step) {
        synchronized (this) {
            if (armed != step || (step == Step.WAITS && !hasFile())) {
                return;
            }
            armed = null;
        }
        say("at " + step);
        try {
            if (verdicts.take().equals("starve")) {
                throw new OutOfMemoryError("injected at " + step);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized void breakLink() {
        sends = 0;
        stream.socket().attached().link().breakNow();
    }

    /** The thread that takes connections back is about to ask the kernel something. */
    private boolean comeBack(Asked asked) {
        int before;
        synchronized (this) {
            before = sends;
            if (sends >= 0 && asked == Asked.SEND) {
                sends++;
            }
        }
        if (before == 0 && asked == Asked.SEND) {
            come(Step.SPEAKS);
        } else if (before == 1) {
            come(Step.HAS_SPOKEN);
        }
        if (before == 1 && asked == Asked.SEND) {
            come(Step.REPLAYS);
        }
        if (before >= 0 && asked == Asked.READ) {
            come(Step.LISTENS);
        }
        return false;
    }

    /** Opens files until there are no more descriptors. The code that has to run then is loaded before: it lies in files, too. */
    private void takeDescriptors() throws Exception {
        load(StreamSocket.class);
        load(PeerFaultsProbe.class);
        say("loaded");
        try {
            while (true) {
                ballast.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            say("few");
        }
    }

    /** Loads all of Accel's classes that lie beside a given class. */
    private static void load(Class<?> one) throws Exception {
        Path classes =
                Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> all = Files.walk(classes)) {
            for (Path each :
                    all.filter(file -> file.toString().endsWith(".class")).toList()) {
                String name = classes.relativize(each).toString().replace('/', '.');
                if (LOADED.matcher(name).matches()) {
                    Class.forName(name.substring(0, name.length() - ".class".length()), false, one.getClassLoader());
                }
            }
        }
    }

    private void giveDescriptorsBack() throws IOException {
        for (FileInputStream each : ballast) {
            each.close();
        }
        ballast.clear();
    }
}
