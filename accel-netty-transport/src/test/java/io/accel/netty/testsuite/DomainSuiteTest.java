// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** The tests of Netty's suite that depend neither on internet addresses nor on the channel of TCP, over Unix-domain sockets. */
@Timeout(60)
class DomainSuiteTest {
    @Nested
    class Echo extends SocketEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class FixedLengthEcho extends SocketFixedLengthEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class StringEcho extends SocketStringEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class ObjectEcho extends SocketObjectEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class GatheringWrite extends SocketGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class FileRegion extends SocketFileRegionTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class HalfClosed extends SocketHalfClosedTest {
        /** Not run: it needs a channel of TCP, for {@code SO_LINGER}. */
        @Override
        public void testHalfClosureReceiveDataOnFinalWait2StateWhenSoLingerSet(TestInfo testInfo) {}

        /** Not run: it reads 393,000 times, and that is tested over TCP. */
        @Override
        public void testAllDataReadClosure(TestInfo testInfo) {}

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs().subList(0, 1); // the NIO channel has no half closure
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class AutoRead extends SocketAutoReadTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class ReadPending extends SocketReadPendingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class DataReadInitialState extends SocketDataReadInitialStateTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class ConditionalWritability extends SocketConditionalWritabilityTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class ExceptionHandling extends SocketExceptionHandlingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class CancelWrite extends SocketCancelWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class BufRelease extends SocketBufReleaseTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }

    @Nested
    class StartTls extends SocketStartTlsTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return Transports.domainPairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return Transports.newDomainAddress();
        }
    }
}
