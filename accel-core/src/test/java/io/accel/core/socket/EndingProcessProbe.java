// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.observe.StatsService;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Ends with connections open: none of Accel's threads may be asleep in the kernel then, for which the JVM would wait. */
final class EndingProcessProbe {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    private EndingProcessProbe() {}

    public static void main(String[] args) throws Exception {
        Lab lab = new Lab("low-cpu", Map.of());
        StatsService.start(lab.dir, "low-cpu", Captures.get());
        Lab.Pair pair = lab.connect();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            awaitRest();
            try {
                pair.close();
                lab.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }));
    }

    private static void awaitRest() {
        long end = System.nanoTime() + LIMIT_NANOS;
        String awake = asleepInKernel();
        while (!awake.isEmpty() && System.nanoTime() - end < 0) {
            awake = asleepInKernel();
        }
        System.out.println(awake.isEmpty() ? "all at rest" : "in the kernel: " + awake);
    }

    /** A thread in a look that does not wait may also be seen there, but not for long. */
    private static String asleepInKernel() {
        StringBuilder found = new StringBuilder();
        for (Map.Entry<Thread, StackTraceElement[]> each :
                Thread.getAllStackTraces().entrySet()) {
            StackTraceElement[] stack = each.getValue();
            if (each.getKey().getName().startsWith("accel-") && stack.length > 0 && isWaitInKernel(stack[0])) {
                found.append(each.getKey().getName()).append(' ');
            }
        }
        return found.toString();
    }

    private static boolean isWaitInKernel(StackTraceElement top) {
        return top.isNativeMethod() && !top.getMethodName().equals("park");
    }
}
