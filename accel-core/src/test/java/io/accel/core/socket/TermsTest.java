// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.profile.HandoverAfter;
import io.accel.profile.PresetChoice;
import io.accel.profile.Profile;
import io.accel.profile.Profiles;
import io.accel.profile.Role;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TermsTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    /** A preset that is not read answers as it does when it is. */
    @ParameterizedTest
    @ValueSource(strings = {"latency", "throughput", "balanced", "low-cpu"})
    void presetsThatAccelerateAnswerAlike(String preset) {
        Terms read = new Terms(Profile.load(preset, Map.of()));
        assertThat(read.isOn()).isTrue();
        assertThat(read.isFailing()).isFalse();
        assertThat(read.servesSockets()).isTrue();
        assertThat(read.movesUnruled()).isTrue();
        assertThat(read.hasRules()).isFalse();
        assertThat(read.waitsForYouth()).isTrue();
        assertThat(read.startsPlain()).isTrue();
        assertThat(read.handoverAfter().isPriced()).isTrue();
        assertThat(read.handoverAfter().operations()).isEqualTo(HandoverAfter.LEAST_OPERATIONS);
        assertThat(read.handoverAfter().bytes()).isEqualTo(HandoverAfter.LEAST_BYTES);
    }

    @Test
    void thereIsNoOtherPresetThatAccelerates() {
        assertThat(Profiles.names()).containsExactlyInAnyOrder("latency", "throughput", "balanced", "low-cpu", "off");
    }

    @Test
    void aPresetIsReadWhenMoreIsAsked() {
        Accelerator unread = new Accelerator(PresetChoice.of("balanced"));
        assertThat(unread.isOn()).isTrue();
        assertThat(unread.isFailing()).isFalse();
        assertThat(unread.servesSockets()).isTrue();
        assertThat(unread.startsPlain()).isTrue();
        assertThat(unread.mayMove(Role.CLIENT, ANY)).isTrue();
        assertThat(unread.comparesBeginnings(Role.SERVER, ANY)).isTrue();
        assertThat(unread.maySoonMove(HandoverAfter.LEAST_OPERATIONS - 1, HandoverAfter.LEAST_BYTES - 1))
                .isFalse();
        assertThat(unread.isUnread()).isTrue();
        assertThat(unread.handoverAfter().isPriced()).isTrue();
        assertThat(unread.isUnread()).isFalse();
        assertThat(unread.profile().name()).isEqualTo("balanced");
        assertThat(unread.startsPlain()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "handover.after=connect",
                "fallback=fail",
                "rule.1=kernel * *:*",
                "log.connections=true",
                "mode=off"
            })
    void whatASettingAsksForIsKnownFromTheBeginning(String setting) {
        String[] parts = setting.split("=", 2);
        Accelerator read = new Accelerator(Profile.load("balanced", Map.of(parts[0], parts[1])));
        assertThat(read.isUnread()).isFalse();
        assertThat(read.startsPlain()).isFalse();
    }

    @Test
    void aPresetThatAcceleratesNothingIsRefused() {
        PresetChoice off = PresetChoice.of("off");
        assertThatThrownBy(() -> new Accelerator(off)).isInstanceOf(IllegalArgumentException.class);
    }
}
