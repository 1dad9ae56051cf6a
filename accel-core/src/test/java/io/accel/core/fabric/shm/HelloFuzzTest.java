// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.FallbackException;
import java.nio.ByteBuffer;

/** A client's first message, read as {@link ServerHandshake} reads it, is refused, or is a hello that says the same when written anew. */
class HelloFuzzTest {
    @FuzzTest
    void hello(byte[] bytes) {
        if (bytes.length < Hello.HEAD) {
            return;
        }
        Hello hello;
        try {
            int rest = Hello.checkHead(ByteBuffer.wrap(bytes));
            assertThat(rest).isBetween(0, Hello.MAX - Hello.HEAD);
            if (bytes.length < Hello.HEAD + rest) {
                return; // the rest is waited for
            }
            hello = Hello.decode(ByteBuffer.wrap(bytes, Hello.HEAD, rest));
        } catch (FallbackException e) {
            assertThat(e.reason()).isNotNull();
            return;
        }
        assertThat(ShmLayout.isRingSize(hello.ringSize())).isTrue();
        assertThat(hello.namespace()).matches("[0-9a-z]{1,13}");
        assertThat(hello.sent()).isBetween(0, Beginnings.LIMIT);
        assertThat(hello.received()).isBetween(0, Beginnings.LIMIT);
        ByteBuffer again = hello.encode();
        assertThat(decoded(again)).isEqualTo(hello);
    }

    private static Hello decoded(ByteBuffer bytes) {
        try {
            int rest = Hello.checkHead(bytes);
            return Hello.decode(bytes.slice(Hello.HEAD, rest));
        } catch (FallbackException e) {
            throw new AssertionError("refuses what it has said itself", e);
        }
    }
}
