// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;

/** A sample that a process sends to {@code accel stats} says the same when written anew; nonsense is an {@link IOException}. */
class SampleFuzzTest {
    @FuzzTest
    void sample(byte[] bytes) throws IOException {
        ProcessSample sample;
        try {
            sample = SampleCodec.decode(bytes);
        } catch (IOException e) {
            return;
        }
        byte[] said = SampleCodec.encode(sample);
        assertThat(SampleCodec.encode(SampleCodec.decode(said))).isEqualTo(said);
        ProcessSample difference = sample.since(sample);
        assertThat(difference.connections()).hasSameSizeAs(sample.connections());
        assertThat(sample.sum(""))
                .isEqualTo(sample.figures().values().stream()
                        .mapToLong(Long::longValue)
                        .sum());
    }
}
