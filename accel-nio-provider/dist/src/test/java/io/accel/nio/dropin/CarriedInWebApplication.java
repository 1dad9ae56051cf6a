// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import java.io.IOException;
import java.io.UncheckedIOException;

/** {@link CarriedOnce} as a web application. */
public final class CarriedInWebApplication implements ServletContextListener {
    @Override
    public void contextInitialized(ServletContextEvent event) {
        try {
            CarriedOnce.main(new String[] {"loader", "sockets", "channels"});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
