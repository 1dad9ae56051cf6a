// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.programs.Transfer;
import io.accel.testing.Child;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** One side of a {@link Transfer}: its task and its JVM. Immutable. */
record Side(String name, boolean accelerated, List<String> arguments, UnaryOperator<Launch> setup) {

    /** Sends; the arguments are {@link Transfer}'s. */
    static Side source(String... arguments) {
        return new Side("source", true, List.of(arguments), launch -> launch).with("do=source");
    }

    /** Sends the bytes that are taken at once, and no more. */
    static Side fill(String end) {
        return source("io=select", end).with("do=fill");
    }

    /** Receives and checks. */
    static Side sink(String... arguments) {
        return new Side("sink", true, List.of(arguments), launch -> launch).with("do=sink");
    }

    /** The same without Accel. */
    Side plain() {
        return new Side(name, false, arguments, setup);
    }

    /** The same with a further argument. */
    Side with(String argument) {
        List<String> all = new ArrayList<>(arguments);
        all.add(argument);
        return new Side(name, accelerated, all, setup);
    }

    /** The same with a change to how it is started. */
    Side launched(UnaryOperator<Launch> change) {
        return new Side(name, accelerated, arguments, launch -> change.apply(setup.apply(launch)));
    }

    Child start() {
        String[] all = arguments.toArray(String[]::new);
        Launch launch = accelerated ? Launch.accelerated(Transfer.class, all) : Launch.plain(Transfer.class, all);
        return setup.apply(launch).start(name + (accelerated ? "" : " without Accel"));
    }
}
