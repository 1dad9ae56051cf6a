// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports mistakes in Accel's settings as Spring Boot reports mistakes in its own. Stateless. */
final class InvalidSettingsFailureAnalyzer extends AbstractFailureAnalyzer<InvalidSettingsException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingsException cause) {
        String description = "Accel's settings cannot be used:" + System.lineSeparator() + System.lineSeparator()
                + cause.getMessage().indent(4).stripTrailing();
        return new FailureAnalysis(
                description,
                "Correct the listed settings; docs/PROFILES.md of Accel has all settings. To start without Accel, set"
                        + " accel.enabled=false.",
                cause);
    }
}
