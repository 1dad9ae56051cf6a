// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Makes tests that wait look every hundredth of a second. Awaitility would look every tenth, and most waits are over in a
 * moment.
 */
public final class PromptWaits implements LauncherSessionListener {
    /** For JUnit, which finds it as a service. */
    public PromptWaits() {}

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
    }
}
