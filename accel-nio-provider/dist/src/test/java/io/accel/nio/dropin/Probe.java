// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A program that knows nothing of Accel: it prints the settings of its JVM, and carries out its arguments. */
final class Probe {
    private Probe() {}

    public static void main(String[] args) throws Exception {
        System.out.println("args " + List.of(args));
        for (String property : List.of(
                "java.nio.channels.spi.SelectorProvider",
                "java.nio.channels.spi.AsynchronousChannelProvider",
                "accel.profile",
                "accel.poll.spin",
                "probe.option")) {
            System.out.println(property + " = " + System.getProperty(property));
        }
        System.out.println(exported());
        if (List.of(args).contains("provider")) {
            System.out.println(
                    "provider " + SelectorProvider.provider().getClass().getName());
        }
        if (List.of(args).contains("ask")) {
            Thread answers = new Thread(() -> new Scanner(System.in, StandardCharsets.UTF_8)
                    .forEachRemaining(word -> System.out.println("asked: " + exported())));
            answers.setDaemon(true);
            answers.start();
        }
        if (List.of(args).contains("sleep")) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("asked to end")));
            System.out.println("pid " + ProcessHandle.current().pid());
            boolean unused = new CountDownLatch(1).await(1, TimeUnit.MINUTES); // it is told to end before
        }
    }

    private static String exported() {
        Module base = Object.class.getModule();
        return "sun.nio.ch exported " + base.isExported("sun.nio.ch", Probe.class.getModule());
    }
}
