// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import com.hazelcast.map.IMap;
import java.io.IOException;
import java.util.Arrays;

/** Values of 1 KiB of a Hazelcast map, which are put in and read one after the other. Used by one thread. */
final class HazelcastValues {
    static final int ENTRIES = 1000;
    private static final int VALUE_BYTES = 1024;

    private final IMap<Integer, byte[]> map;
    private final int[] keys;
    private int next;

    /** @param keys of the values, which are put in now */
    HazelcastValues(IMap<Integer, byte[]> map, int... keys) {
        this.map = map;
        this.keys = keys;
        for (int key : keys) {
            map.set(key, value(key));
        }
    }

    private static byte[] value(int key) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) key);
        return value;
    }

    void read() throws IOException {
        next = (next + 1) % keys.length;
        if (!Arrays.equals(map.get(keys[next]), value(keys[next]))) {
            throw new IOException("the value of " + keys[next] + " is not what was put in");
        }
    }
}
