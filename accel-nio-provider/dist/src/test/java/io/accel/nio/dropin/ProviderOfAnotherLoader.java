// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ServiceConfigurationError;

/** A program whose threads have a given jar in a class loader of their own; it prints the JDK's provider. */
final class ProviderOfAnotherLoader {
    private ProviderOfAnotherLoader() {}

    public static void main(String[] args) throws IOException {
        URL jar = Path.of(args[0]).toUri().toURL();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar})) {
            Thread.currentThread().setContextClassLoader(loader);
            System.out.println(
                    "the loader has it " + (loader.findResource("io/accel/nio/AccelSelectorProvider.class") != null));
            System.out.println(
                    "provider " + SelectorProvider.provider().getClass().getName());
        } catch (ServiceConfigurationError e) {
            System.out.println("not found");
        }
    }
}
