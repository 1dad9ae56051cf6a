// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Walks through every state that a set of programs can reach. */
final class Explorer {
    private static final int MOST_STATES = 3_000_000;

    private record Node(Memory memory, Node before, String step) {
        List<String> history() {
            List<String> steps = new ArrayList<>();
            for (Node node = this; node.before != null; node = node.before) {
                steps.add(0, node.step);
            }
            return steps;
        }
    }

    private final Program[] programs;
    private final Predicate<Memory> end;
    private int states;

    /**
     * An explorer.
     *
     * @param end a condition that must hold where no thread can go on, whether it has ended or waits
     * @param programs one for each thread
     */
    Explorer(Predicate<Memory> end, Program... programs) {
        this.end = end;
        this.programs = programs;
    }

    /** How many states the last exploration saw. */
    int states() {
        return states;
    }

    /** Explores all states. Returns the shortest list of steps to a failure, or empty. */
    Optional<List<String>> explore(Memory start) {
        Set<String> seen = new HashSet<>();
        Deque<Node> open = new ArrayDeque<>();
        seen.add(start.key());
        open.add(new Node(start, null, ""));
        while (!open.isEmpty()) {
            Node node = open.poll();
            List<Node> following = new ArrayList<>();
            try {
                for (int t = 0; t < programs.length; t++) {
                    follow(node, t, following);
                }
            } catch (Program.Violation e) {
                List<String> history = node.history();
                history.add("VIOLATED: " + e.getMessage());
                return Optional.of(history);
            }
            if (following.isEmpty() && !end.test(node.memory)) {
                List<String> history = node.history();
                history.add("STUCK: " + node.memory.key());
                return Optional.of(history);
            }
            for (Node next : following) {
                if (seen.add(next.memory.key())) {
                    open.add(next);
                }
            }
            if (seen.size() > MOST_STATES) {
                throw new IllegalStateException("more than " + MOST_STATES + " states: make the model smaller");
            }
        }
        states = seen.size();
        return Optional.empty();
    }

    /**
     * Like {@link #explore(Memory)}, and checks that the model is not trivial.
     *
     * @param least a model without a failure must have more states than this
     */
    Optional<List<String>> explore(Memory start, int least) {
        Optional<List<String>> failure = explore(start);
        assertThat(failure.isPresent() || states > least)
                .as("a model worth the name")
                .isTrue();
        return failure;
    }

    private void follow(Node node, int thread, List<Node> following) {
        if (!node.memory.isDrained(thread)) {
            Memory drained = node.memory.copy();
            drained.drainOne(thread);
            following.add(new Node(drained, node, thread + ": (a store arrives)"));
        }
        if (programs[thread].isEnabled(node.memory, thread)) {
            Memory next = node.memory.copy();
            String step = programs[thread].take(next, thread);
            following.add(new Node(next, node, thread + ": " + step));
        }
    }

    /** Whether all threads have ended. */
    boolean areOver(Memory memory) {
        for (int t = 0; t < programs.length; t++) {
            if (!programs[t].isOver(memory, t)) {
                return false;
            }
        }
        return true;
    }
}
