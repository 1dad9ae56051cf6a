// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Other activity of the machine during a measurement. An unknown value is NaN.
 *
 * @param runDelay how many of the threads of both ends waited for a processor, on average
 * @param compiler how many processors the just-in-time compilers of both ends used
 * @param others how many processors programs other than these used
 * @param steal the part of the processors' time that the hypervisor took
 * @param load the system's load average over a minute
 * @param warmUpSeconds how long the warm-up took
 * @param warm whether the programs were warm: the compilers quiet, and two windows alike
 */
record Conditions(
        double runDelay,
        double compiler,
        double others,
        double steal,
        double load,
        double warmUpSeconds,
        boolean warm) {
    /** Nothing is known, not even that the programs were cold. */
    static final Conditions UNKNOWN =
            new Conditions(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, true);

    /** The conditions as they were seen, without the warm-up, which came before. */
    Conditions after(double seconds, boolean whetherWarm) {
        return new Conditions(runDelay, compiler, others, steal, load, seconds, whetherWarm);
    }

    /** The worst known value of each. */
    static Conditions worst(List<Conditions> all) {
        return new Conditions(
                most(all, Conditions::runDelay),
                most(all, Conditions::compiler),
                most(all, Conditions::others),
                most(all, Conditions::steal),
                most(all, Conditions::load),
                most(all, Conditions::warmUpSeconds),
                all.stream().allMatch(Conditions::warm));
    }

    private static double most(List<Conditions> all, ToDoubleFunction<Conditions> of) {
        return all.stream().mapToDouble(of).filter(Double::isFinite).max().orElse(Double.NaN);
    }
}
