// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Netty's test over Accel. */
class AccelSocketHalfClosedTest extends SocketHalfClosedTest {
    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return Transports.pairs();
    }

    /** Each of the two reads 393,000 times a byte, with every buffer watched for leaks: a busy machine takes more than Netty's 20 s for that. */
    @Override
    @Test
    @Timeout(120)
    public void testAllDataReadClosure(TestInfo testInfo) throws Throwable {
        super.testAllDataReadClosure(testInfo);
    }

    @Override
    @Test
    @Timeout(120)
    public void testAllDataReadAfterHalfClosure(TestInfo testInfo) throws Throwable {
        super.testAllDataReadAfterHalfClosure(testInfo);
    }
}
