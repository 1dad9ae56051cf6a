// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException.Reason;
import jnr.ffi.LibraryLoader;
import org.junit.jupiter.api.Test;

/** Runs on every machine: with RDMA or without, the answer has to be a clean one. */
class AvailabilityTest {
    @Test
    void saysYesOrWhyNotAndKeepsToIt() {
        VerbsUnavailableException cause = Verbs.unavailabilityCause();

        assertThat(Verbs.isAvailable()).isEqualTo(cause == null);
        if (cause == null) {
            assertThatCode(Verbs::ensureAvailability).doesNotThrowAnyException();
            assertThatCode(() -> assertThat(Device.list()).isNotEmpty()).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(Verbs::ensureAvailability)
                    .isInstanceOf(VerbsUnavailableException.class)
                    .hasMessage(cause.getMessage());
        }
    }

    @Test
    void withoutADeviceTheListIsEmptyAndTheCauseSaysWhatIsMissing() throws Exception {
        VerbsUnavailableException cause = Verbs.unavailabilityCause();
        if (cause != null && cause.reason() == Reason.NO_LIBRARY) {
            assertThat(cause).hasMessageContaining("cannot be loaded").hasMessageContaining("rdma-core");
            assertThatThrownBy(Device::list).isInstanceOf(VerbsUnavailableException.class);
            assertThatThrownBy(CmEventChannel::open).isInstanceOf(VerbsUnavailableException.class);
        } else if (Device.list().isEmpty()) {
            assertThat(cause.reason()).isEqualTo(Reason.NO_DEVICE);
            assertThat(cause).hasMessageStartingWith("no RDMA device");
            assertThatThrownBy(() -> new Device("none0", Device.Transport.IB).open())
                    .isInstanceOf(VerbsUnavailableException.class)
                    .hasMessageContaining("none0 is gone");
        } else {
            assertThat(cause == null || cause.reason() == Reason.NO_PERMISSION).isTrue();
        }
    }

    @Test
    void aMissingLibraryIsNamedWithThePackageThatHasIt() {
        String missing = "libaccel-no-such-library.so.1";
        assertThatThrownBy(() -> Libraries.load(missing, () -> LibraryLoader.create(LibIbVerbs.Functions.class)
                        .failImmediately()
                        .load(missing)))
                .isInstanceOfSatisfying(VerbsUnavailableException.class, e -> assertThat(e.reason())
                        .isEqualTo(Reason.NO_LIBRARY))
                .hasMessageStartingWith(missing + " cannot be loaded: ")
                .hasMessageContaining("librdmacm1");
    }

    @Test
    void errorsNameTheCallItsSubjectAndTheReason() {
        assertThat(VerbsException.of("ibv_reg_mr", "1024 bytes on rxe0", 12))
                .hasMessageStartingWith("ibv_reg_mr: 1024 bytes on rxe0: Cannot allocate memory (errno 12)")
                .hasMessageContaining("ulimit -l");
        assertThat(VerbsException.of("rdma_bind_addr", "/10.0.0.1:7", 98))
                .hasMessage("rdma_bind_addr: /10.0.0.1:7: Address already in use (errno 98)");
    }
}
