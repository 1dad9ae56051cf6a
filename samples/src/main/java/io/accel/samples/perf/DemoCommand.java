package io.accel.samples.perf;

import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code demo}: a short comparison, and one sentence about it. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description =
                "Runs plain java.nio programs with Accel and without, for about a minute, and says what was seen.")
public final class DemoCommand implements Callable<Integer> {
    private static final Duration WARM_UP = Duration.ofSeconds(1);
    private static final Duration MEASURE = Duration.ofSeconds(1);

    @Mixin
    private AccelJarOption accelJar;

    @Override
    public Integer call() throws InterruptedException {
        JvmCommand jvm = new JvmCommand(accelJar.resolve(), Cores.split());
        Comparison comparison = new Comparison(jvm, WARM_UP, MEASURE, 1, System.err);
        Result result = comparison.run(EnumSet.copyOf(BenchCase.OF_SHM));
        System.out.println();
        ResultPrinter.print(result, jvm.cores(), System.out);
        System.out.println();
        System.out.println(Sentence.about(result));
        result.failures().forEach(failure -> System.err.println("FAILED " + failure));
        return result.failures().isEmpty() ? 0 : 1;
    }
}
