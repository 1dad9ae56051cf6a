// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import java.util.Map;

/** The tests of Netty's suite that do not run over Accel, each with the reason. They are listed nowhere else. */
final class NotApplicable {
    private static final String OTHER = "tests another of Netty's transports by name";
    private static final String DISABLED = "switched off in Netty's suite itself, for every transport";
    private static final String ITERATION =
            "registeredChannelsIterator() is overridden by event loops of Netty's own; a"
                    + " MultiThreadIoEventLoopGroup has it for no IoHandler, and the test asks whether it is there";

    /** Class names, without {@code io.netty.testsuite.transport}. */
    static final Map<String, String> CLASSES = Map.ofEntries(
            Map.entry("socket.SocketSslLargeCertificateTest", OTHER),
            Map.entry("sctp.AbstractSctpTest", OTHER),
            Map.entry("sctp.SctpEchoTest", OTHER),
            Map.entry("udt.UDTClientServerConnectionTest", OTHER),
            Map.entry("DefaultEventLoopTest", OTHER),
            Map.entry("NioEventLoopTest", OTHER));

    /** Methods of classes that do run; these report themselves as skipped. */
    static final Map<String, String> METHODS = Map.of(
            "AccelEventLoopTest.testChannelsIterator", ITERATION,
            "AccelEventLoopTest.testChannelsIteratorEmpty", ITERATION,
            "AccelEventLoopTest.testChannelsIteratorRemoveThrows", ITERATION,
            "AccelServerSocketSuspendTest.testSuspendAndResumeAccept", DISABLED,
            "AccelSocketShutdownOutputBySelfTest.testWriteAfterShutdownOutputNoWritabilityChange", DISABLED,
            "AccelSocketSslClientRenegotiateTest.testSslRenegotiationRejected",
                    "the OpenSSL that Netty brings cannot renegotiate, which the test asks first");

    private NotApplicable() {}
}
