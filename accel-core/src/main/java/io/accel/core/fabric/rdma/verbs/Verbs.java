// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException.Reason;
import java.io.File;
import java.util.function.Consumer;

/**
 * Tells whether there is RDMA here. The libraries are loaded on first use, once. Devices may come and go, so each
 * question looks anew, which takes some hundred microseconds: ask when a path is chosen, not on it. Thread-safe.
 */
public final class Verbs {
    private static final File CONNECTION_MANAGER = new File("/dev/infiniband/rdma_cm");

    private Verbs() {}

    /** Whether the libraries are there and at least one device can be used. */
    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /** Throws the exception of {@link #unavailabilityCause}, if there is one. */
    public static void ensureAvailability() throws VerbsUnavailableException {
        VerbsUnavailableException cause = unavailabilityCause();
        if (cause != null) {
            throw cause;
        }
    }

    /** Why there is no RDMA, with the remedy; null when there is. */
    public static VerbsUnavailableException unavailabilityCause() {
        try {
            Libraries.ensureLoaded();
            if (Device.list().isEmpty()) {
                return new VerbsUnavailableException(Reason.NO_DEVICE, noDevice(), null);
            }
            CmEventChannel.open().close();
            return null;
        } catch (VerbsUnavailableException e) {
            return e;
        } catch (VerbsException e) {
            // librdmacm reports a file that it may not open as one that does not exist.
            boolean denied = e.errno() == LibC.EACCES
                    || e.errno() == LibC.EPERM
                    || (CONNECTION_MANAGER.exists()
                            && !(CONNECTION_MANAGER.canRead() && CONNECTION_MANAGER.canWrite()));
            if (!denied) {
                return new VerbsUnavailableException(
                        Reason.NO_DEVICE, e.getMessage() + "; is the kernel module rdma_ucm loaded?", e);
            }
            return new VerbsUnavailableException(
                    Reason.NO_PERMISSION, "this user may not read and write " + CONNECTION_MANAGER, e);
        }
    }

    /** A completion's status in words, such as "remote access error". */
    public static String statusText(int status) throws VerbsUnavailableException {
        return Libraries.ibv().ibv_wc_status_str(status);
    }

    /**
     * Has librdmacm close the devices that the kernel no longer lists, each with the last identifier on it. A driver that cannot take its
     * device from a process, such as Soft-RoCE's, waits for that. librdmacm looks only while there is another device. It opens all that
     * there are, and keeps them open.
     *
     * @param open gets each device that librdmacm has open now
     * @return whether librdmacm has looked
     */
    public static boolean releaseRemovedDevices(Consumer<Context> open)
            throws VerbsException, VerbsUnavailableException {
        LibRdmaCm.Functions cm = Libraries.cm();
        long devices = cm.rdma_get_devices(0);
        if (devices == 0) {
            return false;
        }
        try {
            for (long at = devices; NativeMemory.getPointer(at) != 0; at += Long.BYTES) {
                open.accept(Context.shared(NativeMemory.getPointer(at)));
            }
        } finally {
            cm.rdma_free_devices(devices);
        }
        return true;
    }

    /** Closes a duplicated descriptor that found no other owner. */
    public static void closeDescriptor(int fd) throws VerbsException {
        if (LibC.C.close(fd) != 0) {
            throw VerbsException.lastError("close", "descriptor " + fd);
        }
    }

    private static String noDevice() {
        String[] known = new File("/sys/class/infiniband").list();
        if (known == null || known.length == 0) {
            return "no RDMA device: the kernel knows none (/sys/class/infiniband is empty)";
        }
        return "no RDMA device that can be used: the kernel has " + String.join(", ", known)
                + ", but libibverbs has no driver for it (package ibverbs-providers), the module ib_uverbs is not loaded,"
                + " or the device is just going";
    }
}
