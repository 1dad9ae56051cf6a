// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.vertx;

import io.accel.netty.Accel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;

/**
 * Has a Vert.x instance run on Accel's transport if the program leaves the choice to Vert.x, whether it prefers a native transport or
 * says nothing about it. A native transport that the program names itself, with {@code Vertx.builder().withTransport(...)}, stays.
 * {@code Transport.NIO}, which Vert.x names by default, gives way.
 *
 * <p>In profile {@code off}, and where Accel's transport is not available, Vert.x goes on with its own choice. Vert.x makes an
 * instance through the service loader. Stateless.
 */
public final class AccelVertxProvider implements VertxServiceProvider {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(AccelVertxProvider.class);

    /** Called by the service loader. */
    public AccelVertxProvider() {}

    /**
     * Replaces the transport that Vert.x chose.
     *
     * @throws io.accel.profile.ProfileException if the process's profile has a mistake; the message tells all of it
     */
    @Override
    public void init(VertxBootstrap bootstrap) {
        if (!Accel.isAvailable()) {
            LOG.warn("Vert.x runs without Accel, whose transport is not available", Accel.unavailabilityCause());
        } else if (Accel.isOn() && isVertxsChoice(bootstrap)) {
            bootstrap.transport(new AccelTransport());
        }
    }

    private static boolean isVertxsChoice(VertxBootstrap bootstrap) {
        return bootstrap.transport() == null
                || bootstrap.transport() instanceof NioTransport
                || bootstrap.options().getPreferNativeTransport();
    }
}
