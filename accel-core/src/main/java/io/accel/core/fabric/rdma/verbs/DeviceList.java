// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The array from ibv_get_device_list; its devices are valid until it is closed, unless opened. */
final class DeviceList implements AutoCloseable {
    private final LibIbVerbs.Functions ibv;

    private final long list;

    private final int size;

    DeviceList() throws VerbsException, VerbsUnavailableException {
        ibv = Libraries.ibv();
        NativeMemory count = NativeMemory.allocate(Integer.BYTES);
        list = ibv.ibv_get_device_list(count.address);
        // ENOSYS: the kernel has no verbs, or has not loaded them; that also means that there is no device.
        if (list == 0 && VerbsException.lastErrno() != LibC.ENOSYS) {
            throw VerbsException.lastError("ibv_get_device_list", "this host");
        }
        size = count.buffer.getInt(0);
    }

    int size() {
        return size;
    }

    long device(int index) {
        return NativeMemory.getPointer(list + (long) index * Long.BYTES);
    }

    @Override
    public void close() {
        if (list != 0) {
            ibv.ibv_free_device_list(list);
        }
    }
}
