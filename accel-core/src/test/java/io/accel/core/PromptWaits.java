// SPDX-License-Identifier: Apache-2.0
package io.accel.core;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Has the tests look each hundredth of a second for what they wait for. Awaitility would look each tenth, and most of it is there in a
 * moment.
 */
public final class PromptWaits implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
    }
}
