package io.accel.profile;

import java.util.Optional;

/**
 * What the transport rules say of a connection. Immutable.
 *
 * @param action what to do
 * @param rule the rule that matched; empty if none did
 */
public record Decision(Action action, Optional<TransportRule> rule) {
    /** Where no rule matches. */
    public static final Decision NO_RULE = new Decision(Action.ACCELERATE, Optional.empty());

    /** For the log: the rule with its place, or that there was none. */
    @Override
    public String toString() {
        return rule.map(TransportRule::toString).orElse("no rule matches");
    }
}
