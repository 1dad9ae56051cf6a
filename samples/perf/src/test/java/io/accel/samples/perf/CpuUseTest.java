// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With stacks as async-profiler wrote them. */
class CpuUseTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SOCKET_CALLS | P.main;sun/nio/ch/SocketChannelImpl.write;sun/nio/ch/IOUtil.write;sun/nio/ch/SocketDispatcher.write;"
                        + "sun/nio/ch/FileDispatcherImpl.write0;Java_sun_nio_ch_FileDispatcherImpl_write0;__GI_write",
                "SOCKET_CALLS | a/Loop.run;sun/nio/ch/EPoll.wait;Java_sun_nio_ch_EPoll_wait;epoll_wait",
                "SOCKET_CALLS | io/accel/core/poll/KernelWatch.sleep;sun/nio/ch/SelectorImpl.select;sun/nio/ch/EPoll.wait;"
                        + "Java_sun_nio_ch_EPoll_wait;epoll_wait",
                "SOCKET_CALLS | a/B.c;io/grpc/netty/shaded/io/netty/channel/epoll/Native.epollWait0;"
                        + "netty_epoll_native_epollWait0;epoll_wait",
                "CHANNELS | a/B.c;sun/nio/ch/SelectorImpl.processReadyEvents;sun/nio/ch/SelectionKeyImpl.translateAndSetReadyOps",
                "CHANNELS | a/B.c;sun/nio/ch/SelectorImpl.register;InterpreterRuntime::_new;InstanceKlass::initialize_impl",
                "CHANNELS | a/B.c;sun/nio/ch/SocketChannelImpl.read;java/util/concurrent/locks/ReentrantLock.unlock",
                "ACCEL | a/B.c;io/accel/core/poll/Poller.poll;io/accel/core/fabric/shm/ShmLink.ready",
                "ACCEL | a/B.c;io/accel/core/socket/LinkStream.read;java/nio/ByteBuffer.put;jdk/internal/misc/Unsafe.copyMemory;"
                        + "Unsafe_CopyMemory0;__memmove_avx_unaligned_erms",
                "ACCEL | a/B.c;io/accel/core/poll/WaitPolicy.offer;java/lang/Thread.yield;JVM_Yield;__GI___sched_yield",
                "CHANNELS | a/B.c;io/accel/core/poll/Poller.sleep;sun/nio/ch/SelectorImpl.select",
                "THREADS | a/B.c;java/util/concurrent/SynchronousQueue.take;java/lang/Thread.yield;JVM_Yield;__GI___sched_yield",
                "THREADS | a/B.c;java/util/concurrent/locks/LockSupport.unpark;jdk/internal/misc/Unsafe.unpark;Unsafe_Unpark;"
                        + "Parker::unpark;pthread_cond_signal",
                "JVM | clone3;start_thread;thread_native_entry;Thread::call_run;CompileBroker::compiler_thread_loop;Arena::grow",
                "PROGRAM | kafka/log/Log.append;sun/nio/ch/FileChannelImpl.write;sun/nio/ch/IOUtil.write;"
                        + "sun/nio/ch/FileDispatcherImpl.write0;Java_sun_nio_ch_FileDispatcherImpl_write0;__GI_write",
                "PROGRAM | io/accel/samples/apps/HttpRequests.run;java/util/HashMap.get",
                "PROGRAM | P.main"
            })
    void isToldByTheStack(CpuUse use, String stack) {
        assertThat(CpuUse.of(stack.split(";", -1))).isEqualTo(use);
    }
}
