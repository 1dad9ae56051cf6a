// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A daemon thread keeps nothing of the thread that needed it first. */
@Timeout(30)
class DaemonsTest {
    private record Kept(ClassLoader loader, String inherited, boolean daemon, String name, ThreadGroup group) {}

    @Test
    void aDaemonKeepsNothingOfTheThreadThatStartsIt() throws Exception {
        InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
        FutureTask<Kept> kept = new FutureTask<>(() -> {
            Thread thread = Thread.currentThread();
            return new Kept(
                    thread.getContextClassLoader(),
                    local.get(),
                    thread.isDaemon(),
                    thread.getName(),
                    thread.getThreadGroup());
        });
        ThreadGroup group = new ThreadGroup("the program's");
        try (URLClassLoader loader = new URLClassLoader(new URL[0])) {
            Thread program = new Thread(group, () -> {
                Thread.currentThread().setContextClassLoader(loader);
                local.set("the program's");
                Daemons.start("accel-test", kept);
            });
            program.start();
            program.join();
            Kept found = kept.get(10, TimeUnit.SECONDS);
            assertThat(found.loader()).isNull();
            assertThat(found.inherited()).isNull();
            assertThat(found.daemon()).isTrue();
            assertThat(found.name()).isEqualTo("accel-test");
            assertThat(found.group().getParent()).isNull();
        }
    }
}
