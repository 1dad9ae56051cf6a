// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A shortage lasts for some seconds, and there is none before the first. */
@Timeout(30)
class ShortageTest {
    @Test
    void oneThatBeginsGoesOnForSomeSeconds() {
        Shortage.begin();
        long now = System.nanoTime();
        assertThat(Shortage.isOn(now)).isTrue();
        assertThat(Shortage.isOn(now + TimeUnit.SECONDS.toNanos(10))).isFalse();
    }

    /** A thread takes the time, loses its processor, and then asks as the first of the process: an idle link was given back then. */
    @Test
    void thereIsNoneAtATimeBeforeTheClassIsLoaded() throws Exception {
        URL classes = Shortage.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader fresh = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            long now = System.nanoTime();
            Method isOn = fresh.loadClass(Shortage.class.getName()).getMethod("isOn", long.class);
            assertThat(isOn.invoke(null, now)).isEqualTo(false);
            assertThat(isOn.invoke(null, now - TimeUnit.MINUTES.toNanos(1))).isEqualTo(false);
        }
    }
}
