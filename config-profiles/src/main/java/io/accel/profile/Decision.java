// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.Optional;

/**
 * The decision of the transport rules about a connection. Immutable.
 *
 * @param action the treatment of the connection
 * @param rule the rule that matched; empty if none did
 */
public record Decision(Action action, Optional<TransportRule> rule) {
    /** The decision where no rule matches. */
    public static final Decision NO_RULE = new Decision(Action.ACCELERATE, Optional.empty());

    /** For the log: the rule with its place, or that there was none. */
    @Override
    public String toString() {
        return rule.map(TransportRule::toString).orElse("no rule matches");
    }
}
