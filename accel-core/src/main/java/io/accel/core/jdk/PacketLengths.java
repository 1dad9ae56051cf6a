// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.DatagramPacket;

/**
 * The two lengths of a {@link DatagramPacket}: of its buffer and of the datagram in it. A socket sets the second alone, so
 * that the packet can be received into again; the public method sets both.
 */
public final class PacketLengths {
    private PacketLengths() {}

    /** The capacity of the packet: how many bytes a datagram received into it may have. */
    public static int capacity(DatagramPacket packet) {
        return Holder.BUFFER == null ? packet.getLength() : (int) Holder.BUFFER.get(packet);
    }

    /** Sets the number of bytes received, and leaves the capacity as it is, if this JVM allows it. */
    public static void received(DatagramPacket packet, int length) {
        if (Holder.LENGTH == null) {
            packet.setLength(length);
        } else {
            Holder.LENGTH.set(packet, length);
        }
    }

    private static final class Holder {
        static final VarHandle BUFFER = find("bufLength");
        static final VarHandle LENGTH = find("length");

        private Holder() {}

        private static VarHandle find(String field) {
            Throwable refused = new IllegalAccessException(field);
            MethodHandles.Lookup lookup = TrustedLookup.find(refused).orElse(null);
            try {
                return lookup == null ? null : lookup.findVarHandle(DatagramPacket.class, field, int.class);
            } catch (ReflectiveOperationException e) {
                return null; // another JDK's packet; the consequence is described above
            }
        }
    }
}
