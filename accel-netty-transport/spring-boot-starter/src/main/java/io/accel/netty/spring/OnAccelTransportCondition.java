// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import io.accel.netty.Accel;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches where Accel's transport works in this JVM and the profile is not {@code off}. Stateless. */
final class OnAccelTransportCondition extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Accel's transport");
        if (!Accel.isAvailable()) {
            return ConditionOutcome.noMatch(message.because("it is not available: " + Accel.unavailabilityCause()));
        }
        return Accel.isOn()
                ? ConditionOutcome.match(message.because("it is available"))
                : ConditionOutcome.noMatch(message.because("Accel is off by its profile"));
    }
}
