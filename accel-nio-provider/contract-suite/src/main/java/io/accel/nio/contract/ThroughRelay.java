// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The tests that cannot hold when a relay stands between client and listener, each with its reason. Skipped there, and only there. */
final class ThroughRelay implements ExecutionCondition {
    private static final String URGENT =
            "a stream's reader cannot see that a byte is urgent, so no relay passes that on";

    private static final String LOOPBACK =
            "what the JDK's connection has is seen on loopback, and the kernel gives one to another host less";

    private static final Map<String, String> REASONS = Map.of(
            "SocketAdaptorTest.urgentByteIsDroppedUnlessWantedInline",
            URGENT,
            "SocketAdaptorTest.urgentByteOnceItIsNoLongerWantedInline",
            URGENT,
            "KernelChannelsTest.channelsThatTheJdksProviderOpenedAreSelectedAmongTheOthers",
            "the relay must be accelerated, which no listener of the JDK's own provider is",
            "EndingsTest.aResetByAnEndWhoseInputWasShutDown",
            "what the relay has not passed on yet is not unread at the end that closes",
            "UpgradeRaceTest.aResetIsHeardByAReader",
            "what the relay has not passed on yet goes with the reset",
            "SocketOptionTest.aConnectedChannelHasTheKernelsSendBuffer",
            LOOPBACK,
            "InFlightTest.whatIsTakenWithoutAReader",
            LOOPBACK,
            "InFlightTest.whatIsTakenForAPeerThatHasShutItsInput",
            LOOPBACK,
            "InFlightTest.bothEndsWriteAllBeforeEitherReads",
            LOOPBACK);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (System.getProperty("contract.relay") == null
                || context.getTestMethod().isEmpty()) {
            return ConditionEvaluationResult.enabled("clients reach the listeners directly");
        }
        String test = context.getRequiredTestClass().getSimpleName() + "."
                + context.getRequiredTestMethod().getName();
        String reason = REASONS.get(test);
        return reason == null
                ? ConditionEvaluationResult.enabled("holds through a relay")
                : ConditionEvaluationResult.disabled("not through a relay: " + reason);
    }
}
