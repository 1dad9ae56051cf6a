// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The failures that a program finds in a future, as in the JDK's. */
@Timeout(10)
class ResultTest {
    private static Result<Integer> failed(Throwable failure) {
        Result<Integer> result = Result.future((given, close) -> false);
        Runnable handler = result.deliver(null, failure);
        if (handler != null) {
            throw new AssertionError("a future has no handler");
        }
        return result;
    }

    @Test
    void failuresOfInputAndOutputAndOfRightsAreToldAsTheyAre() {
        assertThatThrownBy(failed(new EOFException("over"))::get).hasCauseExactlyInstanceOf(EOFException.class);
        assertThatThrownBy(failed(new SecurityException("denied"))::get)
                .hasCauseExactlyInstanceOf(SecurityException.class);
    }

    @Test
    void othersAreCausesOfAnIoException() {
        assertThatThrownBy(failed(new IllegalStateException("odd"))::get)
                .hasCauseExactlyInstanceOf(IOException.class)
                .hasRootCauseExactlyInstanceOf(IllegalStateException.class);
    }
}
