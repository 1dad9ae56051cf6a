// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.fabric.Fabric;
import io.accel.core.socket.GuisedFabrics;
import io.accel.profile.Profile;
import java.util.function.UnaryOperator;

/** A provider whose fabrics have a test's object before them. */
public final class GuisedProvider {
    private GuisedProvider() {}

    /** Makes one for a profile. */
    public static AccelSelectorProvider open(Profile profile, UnaryOperator<Fabric> guise) {
        return new AccelSelectorProvider(GuisedFabrics.accelerator(profile, guise));
    }
}
