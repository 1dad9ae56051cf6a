// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.bootstrap;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.DeviceInfo;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupNetwork;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The RDMA fabric, whose classes are loaded by the first connection or listener on a machine that has a device. Asking a
 * machine without one costs a system call. Thread-safe.
 */
public final class DeferredRdmaFabric implements Fabric {
    private final RdmaConfig config;
    private final File devices;
    private volatile Fabric loaded;

    /**
     * Makes the fabric with a profile's settings; loads nothing.
     *
     * @param config the settings
     */
    public DeferredRdmaFabric(RdmaConfig config) {
        this(config, new File("/sys/class/infiniband"));
    }

    DeferredRdmaFabric(RdmaConfig config, File devices) {
        this.config = config;
        this.devices = devices;
    }

    /** A listener has the device's port. */
    @Override
    public boolean mayOutliveListener() {
        return false;
    }

    /** The connection manager knows nothing between yes and no. */
    @Override
    public boolean saysPending() {
        return false;
    }

    @Override
    public boolean comparesBeginnings() {
        return config.provesOwners();
    }

    @Override
    public String name() {
        return "rdma";
    }

    @Override
    public Connecting connect(InetSocketAddress destination, Source source, int ringSize) throws IOException {
        try {
            return fabric().connect(destination, source, ringSize);
        } catch (LinkageError e) {
            throw RdmaClasses.unusable(e);
        }
    }

    @Override
    public Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException {
        try {
            return fabric().listen(bound, acceptor);
        } catch (LinkageError e) {
            throw RdmaClasses.unusable(e);
        }
    }

    @Override
    public List<DeviceInfo> devices() throws FallbackException {
        try {
            return fabric().devices();
        } catch (LinkageError e) {
            throw RdmaClasses.unusable(e);
        }
    }

    @Override
    public GroupNetwork groups() throws FallbackException {
        try {
            return fabric().groups();
        } catch (LinkageError e) {
            throw RdmaClasses.unusable(e);
        }
    }

    private Fabric fabric() throws FallbackException {
        Fabric fabric = loaded;
        if (fabric == null) {
            if (!devices.isDirectory()) {
                throw new FallbackException(FallbackReason.NO_DEVICE, "this machine has no RDMA device");
            }
            fabric = RdmaClasses.newFabric(config);
            loaded = fabric;
        }
        return fabric;
    }
}
