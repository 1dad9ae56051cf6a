// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import jnr.ffi.LibraryLoader;

/**
 * A program that calls native code through a jnr-ffi of its own. Its arguments give the order of the steps: {@code own}
 * calls, {@code accel} makes Accel load its RDMA classes as the first connection on a machine with a device would.
 */
final class OwnJnr {
    private OwnJnr() {}

    /** The C library, as far as this program uses it. */
    public interface C {
        int getpid();
    }

    public static void main(String[] args) throws Exception {
        for (String arg : args) {
            switch (arg) {
                case "own" -> own();
                case "accel" -> accel();
                default -> throw new IllegalArgumentException(arg);
            }
        }
        try (Stream<Path> left = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            System.out.println("left "
                    + left.filter(file -> file.getFileName().toString().contains("jffi"))
                            .toList());
        }
        try (SocketChannel channel = SocketChannel.open()) {
            System.out.println("open " + channel.isOpen());
        }
    }

    private static void own() {
        boolean right = LibraryLoader.create(C.class).load("c").getpid()
                == ProcessHandle.current().pid();
        System.out.println("own " + right + " " + jarOf(LibraryLoader.class));
    }

    /** By reflection, as this program was not compiled with Accel. */
    private static void accel() throws Exception {
        Class<?> classes = Class.forName("io.accel.core.fabric.rdma.bootstrap.RdmaClasses");
        try {
            Class<?> verbs = (Class<?>)
                    classes.getMethod("load", String.class).invoke(null, "io.accel.core.fabric.rdma.verbs.Verbs");
            Object cause = verbs.getMethod("unavailabilityCause").invoke(null);
            Class<?> loader = Class.forName("jnr.ffi.LibraryLoader", false, verbs.getClassLoader());
            System.out.println("accel " + (cause == null ? "has a device" : cause) + " " + jarOf(loader));
        } catch (java.lang.reflect.InvocationTargetException e) {
            System.out.println("accel failed: " + e.getCause());
        }
    }

    private static String jarOf(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .getFileName()
                .toString();
    }
}
