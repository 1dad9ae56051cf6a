// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.socket.BlockingWaits;
import io.accel.testing.ChildJvm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The methods in which a thread waits are compiled once, and not again with each method that may wait: they are longer than any
 * method that HotSpot's C2 inlines, however often it is called ({@code FreqInlineSize}).
 */
@Timeout(60)
class CompiledAloneTest {
    private static final int MOST_INLINED = 325;

    @ParameterizedTest
    @CsvSource({"poll, int poll(long", "await, void await(long"})
    void ofPoller(String name, String signature) {
        assertThat(codeLength(Poller.class, signature)).as(name).isGreaterThan(MOST_INLINED);
    }

    @ParameterizedTest
    @CsvSource({"await, void awaitOrFail("})
    void ofBlockingWaits(String name, String signature) {
        assertThat(codeLength(BlockingWaits.class, signature)).as(name).isGreaterThan(MOST_INLINED);
    }

    /** The profile of {@link io.accel.core.daemon.OutOfLine} must have seen three classes there, and has only those of a poller that sleeps. */
    @Test
    void theSelectOfAPollerWithoutLinks() throws Exception {
        String output = new ChildJvm(ColdPollProbe.class)
                .with(
                        "-Xbatch",
                        "-XX:CompileCommand=quiet",
                        "-XX:CompileCommand=PrintInlining,io.accel.core.poll.Poller::*")
                .run()
                .orderly();
        assertThat(output)
                .contains("found 60000", "io.accel.core.daemon.OutOfLine::call (8 bytes)")
                .doesNotContain("KernelWatch$Selecting::call", "SelectorImpl::select");
    }

    /** The offset of the last instruction of the longest method with such a signature, from {@code javap}. */
    private static int codeLength(Class<?> of, String signature) {
        StringWriter out = new StringWriter();
        int status = ToolProvider.findFirst("javap")
                .orElseThrow()
                .run(
                        new PrintWriter(out),
                        new PrintWriter(out),
                        "-c",
                        "-p",
                        "-cp",
                        System.getProperty("java.class.path"),
                        of.getName());
        assertThat(status).as(out.toString()).isZero();
        Pattern offset = Pattern.compile("^ +(\\d+): [a-z]");
        int longest = 0;
        boolean within = false;
        for (String line : out.toString().lines().toList()) {
            Matcher instruction = offset.matcher(line);
            if (instruction.find()) {
                longest = within ? Math.max(longest, Integer.parseInt(instruction.group(1))) : longest;
            } else if (line.startsWith("  ") && !line.startsWith("   ")) {
                within = line.contains(signature);
            }
        }
        return longest;
    }
}
