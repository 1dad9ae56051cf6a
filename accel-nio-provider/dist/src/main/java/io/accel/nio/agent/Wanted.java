// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import io.accel.profile.Keys;
import io.accel.profile.Mode;
import io.accel.profile.NettyChoice;
import io.accel.profile.Origin;
import io.accel.profile.PresetChoice;
import io.accel.profile.Profile;
import io.accel.profile.ProfileException;

/**
 * What a profile wants of the agent. All presets want the same, beside whether anything is accelerated, so that none is read for it.
 *
 * @param accelerates whether anything is accelerated
 * @param decidesUnixStreams whether somebody has said whether Unix-domain streams may move
 * @param keepsNettyToNio whether Netty's native transports are made unavailable, if anything is accelerated
 * @param servesSockets whether {@code java.net.Socket} and its like are served
 */
record Wanted(boolean accelerates, boolean decidesUnixStreams, boolean keepsNettyToNio, boolean servesSockets) {
    /**
     * What the profile wants that the system properties and the environment choose.
     *
     * @throws ProfileException if it has any mistake
     */
    static Wanted fromSystem() {
        PresetChoice preset = PresetChoice.fromSystem();
        return preset == null ? of(Profile.fromSystem()) : of(preset);
    }

    static Wanted of(PresetChoice preset) {
        return new Wanted(preset.accelerates(), preset.decidesUnixStreams(), true, true);
    }

    static Wanted of(Profile profile) {
        return new Wanted(
                profile.get(Keys.MODE) == Mode.ACCELERATE,
                profile.setting(Keys.UNIX_STREAMS).origin().kind() != Origin.Kind.DEFAULT,
                profile.get(Keys.NETTY) == NettyChoice.NIO,
                profile.get(Keys.SOCKETS));
    }
}
