// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Which interrupt tells of a queue's completions. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(60)
class CompletionVectorsTest {
    private static final int VECTORS = 4;

    private final List<CompletionQueue> queues = new ArrayList<>();
    private DeviceReports reports;
    private Context context;
    private CompletionChannel channel;

    @BeforeEach
    void open() throws Exception {
        reports = new DeviceReports();
        reports.completionVectors(VECTORS);
        context = Device.list().get(0).open();
        channel = context.createCompletionChannel();
        make(1, channel); // from here on it says that it has so many
        reports.vectors().clear();
    }

    @AfterEach
    void close() throws Exception {
        for (CompletionQueue queue : queues) {
            queue.close();
        }
        channel.close();
        context.close();
        reports.close();
    }

    private void make(int number, CompletionChannel announcing) throws VerbsException {
        for (int i = 0; i < number; i++) {
            queues.add(context.createCompletionQueue(2, announcing));
        }
    }

    @Test
    void queuesTakeThemInTurn() throws Exception {
        assertThat(context.completionVectors()).isEqualTo(VECTORS);
        make(2 * VECTORS, channel);
        assertThat(reports.vectors().subList(0, VECTORS)).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(reports.vectors().subList(VECTORS, 2 * VECTORS))
                .isEqualTo(reports.vectors().subList(0, VECTORS));
    }

    /** It interrupts nobody, and is nobody's turn. */
    @Test
    void aQueueThatAnnouncesNothingTakesNoTurn() throws Exception {
        make(1, channel);
        int first = reports.vectors().get(0);
        make(3, null);
        make(1, channel);
        assertThat(reports.vectors().subList(1, 4)).containsOnly(0);
        assertThat(reports.vectors().get(4)).isEqualTo((first + 1) % VECTORS);
    }
}
