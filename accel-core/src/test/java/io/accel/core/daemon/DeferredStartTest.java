// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.ChildJvm;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What waits until a process is not young any more, in processes of its own, since each is young once. */
@Timeout(60)
class DeferredStartTest {
    private static List<String> run(String how) throws Exception {
        return new ChildJvm(DeferredStartProbe.class).run(how).output().lines().toList();
    }

    @Test
    void nothingWaitsBeforeAccelBegins() throws Exception {
        assertThat(run("never")).containsExactly("young false", "deferred false");
    }

    @Test
    void whatIsDeferredIsDoneInItsOrderAndThenNothingWaits() throws Exception {
        assertThat(run("waits"))
                .containsExactly(
                        "young true", "deferred true", "first by accel-start", "second by accel-start", "young false");
    }

    /** It is asked every 250 ms. */
    @Test
    void whatIsDeferredWaitsForTimeToSpareFourSecondsAtMost() throws Exception {
        assertThat(run("busy")).contains("first by accel-start", "asked 3");
        assertThat(run("swamped")).contains("first by accel-start", "asked 16");
    }

    @Test
    void whatNobodyWantsWaitsForLonger() throws Exception {
        assertThat(run("unwanted"))
                .containsExactly(
                        "young true",
                        "deferred true",
                        "not done",
                        "first by accel-start",
                        "second by accel-start",
                        "done");
    }

    @Test
    void anErrorEndsNoOthersWork() throws Exception {
        assertThat(run("fails")).contains("young true", "second by accel-start", "young false");
    }

    @Test
    void aProgramThatIsOverBeforeNeitherWaitsForItNorDoesIt() throws Exception {
        assertThat(run("ends")).containsExactly("young true", "deferred true");
        assertThat(run("exits")).containsExactly("young true", "deferred true");
    }

    /** A process that ends while it is young does not begin anything in its hooks' time. */
    @Test
    void nothingBeginsWhileTheProcessEnds() throws Exception {
        assertThat(run("lingers")).containsExactly("young true", "deferred true", "hook over");
    }
}
