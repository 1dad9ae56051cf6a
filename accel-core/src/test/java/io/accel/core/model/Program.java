// SPDX-License-Identifier: Apache-2.0
package io.accel.core.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;

/**
 * The program of one thread, step by step. Each step is atomic; between any two, other threads run. Loads go to the only register
 * of the thread, {@link #A}.
 */
final class Program {
    /** The only register that steps use by themselves. */
    static final int A = 0;

    /** One step. */
    private interface Step {
        /** Whether it can be taken now. */
        boolean isEnabled(Memory memory, int thread);

        /** Takes the step; the thread's place is already the next step. */
        void take(Memory memory, int thread);
    }

    private record Named(String name, Step step) {}

    private final List<Named> steps = new ArrayList<>();
    private final Map<String, Integer> labels = new HashMap<>();

    Program label(String name) {
        labels.put(name, steps.size());
        return this;
    }

    /** A store that may be delayed: plain, opaque or release. */
    Program store(String name, int word, int value) {
        return add(name, Memory::hasRoom, (m, t) -> m.buffer(t, word, value));
    }

    /** A full fence. */
    Program fence() {
        return add("fence", Memory::isDrained, (m, t) -> {});
    }

    /** A volatile store: a store with a full fence behind it. */
    Program storeVolatile(String name, int word, int value) {
        return store(name, word, value).fence();
    }

    Program load(String name, int word) {
        return add(name, (m, t) -> true, (m, t) -> m.register(t, A, m.load(t, word)));
    }

    /** An atomic read-modify-write, which is a full fence; the old value goes to the register. */
    Program update(String name, int word, IntUnaryOperator change) {
        return add(name, Memory::isDrained, (m, t) -> {
            int old = m.word(word);
            m.register(t, A, old);
            m.word(word, change.applyAsInt(old));
        });
    }

    /** An atomic compare-and-set; the register becomes 1 if it was done, else 0. */
    Program compareAndSet(String name, int word, int expected, int value) {
        return add(name, Memory::isDrained, (m, t) -> {
            boolean done = m.word(word) == expected;
            m.register(t, A, done ? 1 : 0);
            if (done) {
                m.word(word, value);
            }
        });
    }

    /** Waits in the kernel, which looks at memory directly. */
    Program await(String name, Predicate<Memory> condition) {
        return add(name, (m, t) -> condition.test(m), (m, t) -> {});
    }

    /** A thread's work on its own words, or a system call, which is a full fence: all of it is one step. */
    Program act(String name, Predicate<Memory> enabled, Consumer<Memory> effect) {
        return add(name, (m, t) -> m.isDrained(t) && enabled.test(m), (m, t) -> effect.accept(m));
    }

    Program jumpIf(IntPredicate condition, String label) {
        return add("jump " + label, (m, t) -> true, (m, t) -> {
            if (condition.test(m.register(t, A))) {
                m.go(t, labels.get(label));
            }
        });
    }

    Program jump(String label) {
        return jumpIf(a -> true, label);
    }

    /** A condition that must hold here. */
    Program check(String what, Predicate<Memory> condition) {
        return add(what, (m, t) -> true, (m, t) -> {
            if (!condition.test(m)) {
                throw new Violation(what);
            }
        });
    }

    boolean isOver(Memory memory, int thread) {
        return memory.place(thread) >= steps.size();
    }

    boolean isEnabled(Memory memory, int thread) {
        return !isOver(memory, thread) && steps.get(memory.place(thread)).step.isEnabled(memory, thread);
    }

    /** Takes the next step; returns its name. */
    String take(Memory memory, int thread) {
        Named next = steps.get(memory.place(thread));
        memory.go(thread, memory.place(thread) + 1);
        next.step.take(memory, thread);
        return next.name;
    }

    private interface Condition {
        boolean holds(Memory memory, int thread);
    }

    private interface Effect {
        void on(Memory memory, int thread);
    }

    private Program add(String name, Condition condition, Effect effect) {
        steps.add(new Named(name, new Step() {
            @Override
            public boolean isEnabled(Memory memory, int thread) {
                return condition.holds(memory, thread);
            }

            @Override
            public void take(Memory memory, int thread) {
                effect.on(memory, thread);
            }
        }));
        return this;
    }

    /** A check that failed. */
    static final class Violation extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Violation(String what) {
            super(what);
        }
    }
}
