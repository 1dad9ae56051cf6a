package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.FallbackException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Listeners of one process that share a port, as with {@code SO_REUSEPORT}: the device has it once. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(120)
class SharedListenerTest {
    @Test
    void clientsAreHeardAsLongAsOneIsOpen() throws Exception {
        try (RdmaEnds first = new RdmaEnds(32);
                RdmaEnds second = first.beside()) {
            first.connect().free();
            first.stopListening();
            first.stopListening();
            second.connect().free();
            try (RdmaEnds third = first.beside()) {
                second.connect().free();
                second.stopListening();
                third.connect().free();
            }
            assertThatThrownBy(second::connect).isInstanceOf(FallbackException.class);
            try (RdmaEnds again = first.beside()) {
                again.connect().free();
            }
        }
    }
}
