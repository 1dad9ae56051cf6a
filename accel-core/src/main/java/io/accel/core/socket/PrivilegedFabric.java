// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.daemon.Privileged;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.DeviceInfo;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.util.List;

/**
 * A fabric that works with Accel's rights. If Accel itself lacks a right, the kernel carries the connection. The JDK has checked whether
 * the program may connect or send, when it did so through the kernel. Thread-safe, as is the fabric that it delegates to.
 */
final class PrivilegedFabric implements Fabric {
    private final Fabric fabric;

    PrivilegedFabric(Fabric fabric) {
        this.fabric = fabric;
    }

    @Override
    public String name() {
        return fabric.name();
    }

    @Override
    public Connecting connect(InetSocketAddress destination, Source source, int ringSize) throws IOException {
        return new Handshake(call(() -> fabric.connect(destination, source, ringSize)));
    }

    @Override
    public Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException {
        Listening listening = callOrFallBack(() -> fabric.listen(bound, acceptor));
        return new Listening() {
            @Override
            public FallbackException waitsFor() {
                return listening.waitsFor();
            }

            @Override
            public void close() {
                Privileged.get(() -> {
                    listening.close();
                    return null;
                });
            }
        };
    }

    @Override
    public boolean comparesBeginnings() {
        return fabric.comparesBeginnings();
    }

    @Override
    public boolean saysPending() {
        return fabric.saysPending();
    }

    @Override
    public boolean mayOutliveListener() {
        return fabric.mayOutliveListener();
    }

    @Override
    public List<DeviceInfo> devices() throws FallbackException {
        return callOrFallBack(fabric::devices);
    }

    @Override
    public GroupNetwork groups() throws FallbackException {
        return callOrFallBack(fabric::groups);
    }

    static <T> T callOrFallBack(Privileged.Action<T> action) throws FallbackException {
        try {
            return call(action);
        } catch (FallbackException e) {
            throw e;
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.NO_RESOURCES, e.toString());
        }
    }

    private static <T> T call(Privileged.Action<T> action) throws IOException {
        try {
            return Privileged.call(action);
        } catch (SecurityException e) {
            throw new FallbackException(
                    FallbackReason.NO_RIGHT, "the security manager forbids it to Accel's own code: " + e.getMessage());
        } catch (LinkageError e) {
            // A class whose initialisation failed, for whatever reason, cannot be used any more; the kernel's channels
            // can.
            String cause = e.getCause() == null ? e.toString() : e.getCause().toString();
            boolean forbidden = e.getCause() instanceof SecurityException;
            throw new FallbackException(
                    forbidden ? FallbackReason.NO_RIGHT : FallbackReason.NO_RESOURCES,
                    "a class of Accel's cannot be used: " + cause);
        }
    }

    /** One connection's handshake. */
    private static final class Handshake implements Connecting {
        private final Connecting handshake;

        Handshake(Connecting handshake) {
            this.handshake = handshake;
        }

        @Override
        public SelectableChannel channel() {
            return handshake.channel();
        }

        @Override
        public long deadline() {
            return handshake.deadline();
        }

        @Override
        public boolean isPending() {
            return handshake.isPending();
        }

        @Override
        public InetSocketAddress local() {
            return handshake.local();
        }

        @Override
        public Link advance() throws FallbackException {
            return callOrFallBack(handshake::advance);
        }

        @Override
        public void abort() {
            Privileged.get(() -> {
                handshake.abort();
                return null;
            });
        }
    }
}
