// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.profile.PresetChoice;
import io.accel.profile.Profile;
import io.accel.profile.Profiles;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WantedTest {
    @Test
    void eachPresetWantsWhatIsSaidOfItUnread() {
        for (String preset : Profiles.names()) {
            PresetChoice choice = PresetChoice.of(preset);
            assertThat(Wanted.of(choice)).as(preset).isEqualTo(Wanted.of(choice.get()));
        }
    }

    @Test
    void settingsWantSomethingElse() {
        Map<String, String> settings = Map.of("sockets", "false", "netty", "keep", "unix.streams", "false");
        assertThat(Wanted.of(Profile.load("balanced", settings))).isEqualTo(new Wanted(true, true, false, false));
    }
}
