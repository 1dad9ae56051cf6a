// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** {@link CarriedOnce} as a bundle. */
public final class CarriedInBundle implements BundleActivator {
    @Override
    public void start(BundleContext context) throws IOException {
        CarriedOnce.main(new String[] {"loader", "sockets", "channels"});
    }

    @Override
    public void stop(BundleContext context) {}
}
