// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.DatagramChannel;

/** What the running JDK's datagram channels throw that were closed before an operation. Asked once, by the first thread that needs it. */
final class ClosedDatagrams {
    /** Whether an operation in blocking mode reports that the channel was closed meanwhile, though it was closed before. */
    static final boolean ARE_ASYNCHRONOUS = areAsynchronous();

    private ClosedDatagrams() {}

    private static boolean areAsynchronous() {
        try {
            DatagramChannel closed = JdkAccess.kernelProvider().openDatagramChannel();
            closed.close();
            closed.receive(ByteBuffer.allocate(1));
            return false;
        } catch (AsynchronousCloseException e) {
            return true;
        } catch (IOException e) {
            return false; // newer JDKs say that it is closed; without a descriptor nobody can tell, and newer JDKs are
            // the rule
        }
    }
}
