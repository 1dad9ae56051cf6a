package io.accel.nio.dropin;

import java.nio.channels.spi.SelectorProvider;
import java.util.List;

/** A program that knows nothing of Accel: says what it finds set in its JVM, and does what its arguments ask. */
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
        Module base = Object.class.getModule();
        System.out.println("sun.nio.ch exported " + base.isExported("sun.nio.ch", Probe.class.getModule()));
        if (List.of(args).contains("provider")) {
            System.out.println(
                    "provider " + SelectorProvider.provider().getClass().getName());
        }
        if (List.of(args).contains("sleep")) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("asked to end")));
            System.out.println("pid " + ProcessHandle.current().pid());
            Thread.sleep(60_000);
        }
    }
}
