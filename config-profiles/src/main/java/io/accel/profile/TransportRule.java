// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One transport rule: {@code ACTION ROLE ADDRESS[/LENGTH]:PORT[-PORT] [tcp|udp]}, or {@code ACTION ROLE unix:PATH} for Unix-domain
 * streams. Immutable and thread-safe.
 */
public final class TransportRule {
    private static final String FORM =
            "; a rule is ACTION ROLE ADDRESS[/LENGTH]:PORT[-PORT] [tcp|udp] or ACTION ROLE unix:PATH, for"
                    + " example 'kernel server *:22', 'accelerate client 10.0.0.0/8:9092' or 'kernel * unix:/run/*.sock'";

    private final int number;
    private final String text;
    private final Origin origin;
    private final Set<Role> roles;
    private final Set<Protocol> protocols;
    /** Null in a rule for Unix-domain streams. */
    private final Endpoint endpoint;
    /** Null in any other rule. */
    private final PathPattern path;

    private final Decision decision;

    private TransportRule(int number, Origin origin, List<String> words) throws BadValueException {
        this.number = number;
        this.text = String.join(" ", words);
        this.origin = origin;
        Action action = word("action", Action.values(), words.get(0));
        this.roles = words.get(1).equals("*")
                ? EnumSet.allOf(Role.class)
                : EnumSet.of(word("role", Role.values(), words.get(1)));
        boolean isUnix = PathPattern.isOne(words.get(2));
        this.endpoint = isUnix ? null : Endpoint.parse(words.get(2));
        this.path = isUnix ? PathPattern.parse(words.get(2)) : null;
        if (isUnix && words.size() > 3) {
            throw new BadValueException("'" + words.get(3) + "' behind a path; Unix-domain sockets have streams only");
        }
        this.protocols = words.size() < 4
                ? EnumSet.allOf(Protocol.class)
                : EnumSet.of(word("protocol", Protocol.values(), words.get(3)));
        this.decision = new Decision(action, Optional.of(this));
    }

    /** Reads the text behind {@code rule.N=}. */
    static TransportRule parse(int number, String text, Origin origin) throws BadValueException {
        List<String> words = Arrays.asList(text.strip().split("\\s+", -1));
        if (words.size() < 3 || words.size() > 4) {
            throw new BadValueException((text.isBlank() ? "empty" : words.size() + " words") + FORM);
        }
        try {
            return new TransportRule(number, origin, words);
        } catch (BadValueException e) {
            throw new BadValueException(e.getMessage() + FORM);
        }
    }

    /** Reads the {@code N} of {@code rule.N}. */
    static int number(String text) throws BadValueException {
        if (!text.matches("[1-9][0-9]{0,8}")) {
            throw new BadValueException("'" + text + "' is no rule number; allowed: 1 to 999999999, which is the order"
                    + " in which rules are asked");
        }
        return Integer.parseInt(text);
    }

    private static <E extends Enum<E>> E word(String what, E[] all, String word) throws BadValueException {
        EnumType<E> words = new EnumType<>(List.of(all));
        try {
            return words.parse(word);
        } catch (BadValueException e) {
            throw new BadValueException("unknown " + what + " '" + word + "'"
                    + NearestName.hint(word, words.words().keySet()) + " (there is "
                    + words.allowed() + (what.equals("role") ? ", *)" : ")"));
        }
    }

    /** The rule's number, from 1: rules with smaller numbers are asked first. */
    public int number() {
        return number;
    }

    /** The treatment of a connection that the rule matches. */
    public Action action() {
        return decision.action();
    }

    /** The rule as written, with single spaces, without {@code rule.N=}. */
    public String text() {
        return text;
    }

    /** The place of the rule. */
    public Origin origin() {
        return origin;
    }

    boolean matches(Protocol protocol, Role role, InetSocketAddress address) {
        return endpoint != null && protocols.contains(protocol) && roles.contains(role) && endpoint.matches(address);
    }

    boolean matches(Role role, Path unix) {
        return path != null && roles.contains(role) && path.matches(unix);
    }

    Decision decision() {
        return decision;
    }

    /** The rule with its place: {@code rule.1=kernel server *:22 (my.properties:4)}. */
    @Override
    public String toString() {
        return "rule." + number + "=" + text + " (" + origin + ")";
    }
}
