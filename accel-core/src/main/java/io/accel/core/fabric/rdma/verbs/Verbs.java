package io.accel.core.fabric.rdma.verbs;

import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException.Reason;
import java.io.File;

/**
 * Whether there is RDMA here. The libraries are loaded on first use, once; devices may come and go, so each question
 * looks anew (some hundred microseconds: ask when a path is chosen, not on it). Thread-safe.
 */
public final class Verbs {
    private static final File CONNECTION_MANAGER = new File("/dev/infiniband/rdma_cm");

    private Verbs() {}

    /** Whether the libraries are there and at least one device can be used. */
    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /** Throws what {@link #unavailabilityCause} says, if anything. */
    public static void ensureAvailability() throws VerbsUnavailableException {
        VerbsUnavailableException cause = unavailabilityCause();
        if (cause != null) {
            throw cause;
        }
    }

    /** Why there is no RDMA, with what to do about it; null when there is. */
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
            // librdmacm says of a file that it may not open that there is none.
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
     * Lets librdmacm close what it holds of devices that are gone. To be called after a DEVICE_REMOVAL, once all on the
     * device is closed: the removal of a device whose driver cannot take it from a process, such as Soft-RoCE, waits for
     * that. librdmacm does it only while there is another device; otherwise with the next one, or at the process's end.
     */
    public static void releaseRemovedDevices() throws VerbsUnavailableException {
        LibRdmaCm.Functions cm = Libraries.cm();
        long devices = cm.rdma_get_devices(0);
        if (devices != 0) {
            cm.rdma_free_devices(devices);
        }
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
