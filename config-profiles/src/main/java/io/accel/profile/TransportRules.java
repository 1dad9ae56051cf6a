// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * Decides which connections to accelerate: the rules have an order by number, and the first that matches decides; a
 * connection that no rule matches is accelerated. An accepted socket takes over its listener's decision and is not
 * asked for again. Immutable and thread-safe.
 */
public final class TransportRules {
    private final List<TransportRule> rules;

    private TransportRules(List<TransportRule> rules) {
        this.rules = rules;
    }

    /** Makes an object of rules that are in the order of their numbers. */
    static TransportRules of(Collection<TransportRule> rules) {
        return new TransportRules(List.copyOf(rules));
    }

    /** The rules in the order in which they are asked. */
    public List<TransportRule> list() {
        return rules;
    }

    /** Decides for a stream; as {@link #decide(Protocol, Role, InetSocketAddress)}. */
    public Decision decide(Role role, InetSocketAddress address) {
        return decide(Protocol.TCP, role, address);
    }

    /**
     * Decides for a connection or a listener.
     *
     * @param protocol stream or datagrams
     * @param role this end's role
     * @param address the address that a client connects to, or that a listener is bound to, with the port it really
     * got; an unresolved address matches rules for {@code *} only
     */
    public Decision decide(Protocol protocol, Role role, InetSocketAddress address) {
        return first(rule -> rule.matches(protocol, role, address));
    }

    /**
     * Decides for a Unix-domain stream or a listener of such streams, which only rules for paths match.
     *
     * @param role this end's role
     * @param path the path of the socket that a client connects to, or that a listener is bound to: absolute, and without {@code .} and
     *     {@code ..}
     */
    public Decision decide(Role role, Path path) {
        return first(rule -> rule.matches(role, path));
    }

    private Decision first(Predicate<TransportRule> matching) {
        for (TransportRule rule : rules) {
            if (matching.test(rule)) {
                return rule.decision();
            }
        }
        return Decision.NO_RULE;
    }
}
