// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.profile.Fallback;
import io.accel.profile.GroupPath;
import io.accel.profile.HandoverAfter;
import io.accel.profile.Keys;
import io.accel.profile.Mode;
import io.accel.profile.Origin;
import io.accel.profile.Profile;
import io.accel.profile.Setting;

/**
 * A profile, and what it says about each connection, so that no connection has to look it up. All presets that accelerate say the same of {@link
 * #isOn}, {@link #isFailing}, {@link #servesSockets}, {@link #movesUnruled}, {@link #hasRules}, {@link #waitsForYouth} and {@link #startsPlain}, which {@link
 * Accelerator} therefore knows of a preset that it has not read. Immutable.
 */
final class Terms {
    private final Profile profile;
    private final HandoverAfter handoverAfter;
    private final ConnectionLog log;
    private final boolean on;
    private final boolean failing;
    private final boolean movesUnruled;
    private final boolean linksDatagramsAtOnce;
    private final boolean waitsForYouth;
    private final boolean startsPlain;

    /** Reads a profile. */
    Terms(Profile profile) {
        Setting<HandoverAfter> after = profile.setting(Keys.HANDOVER_AFTER);
        Origin.Kind said = after.origin().kind();
        this.profile = profile;
        this.handoverAfter = after.value();
        this.log = new ConnectionLog(profile.get(Keys.LOG_CONNECTIONS));
        this.on = profile.get(Keys.MODE) == Mode.ACCELERATE;
        this.failing = profile.get(Keys.FALLBACK) == Fallback.FAIL;
        this.movesUnruled = on && !profile.get(Keys.FABRIC_ORDER).isEmpty();
        this.linksDatagramsAtOnce =
                handoverAfter.isAtOnce() || profile.get(Keys.DATAGRAM_MULTICAST) != GroupPath.KERNEL;
        this.waitsForYouth =
                !failing && !handoverAfter.isAtOnce() && (said == Origin.Kind.DEFAULT || said == Origin.Kind.PRESET);
        this.startsPlain = !failing && !handoverAfter.isAtOnce() && movesUnruled && !hasRules() && !log.saysAll();
    }

    Profile profile() {
        return profile;
    }

    /** When a connection is worth a link. */
    HandoverAfter handoverAfter() {
        return handoverAfter;
    }

    ConnectionLog log() {
        return log;
    }

    /** Whether anything is accelerated at all. */
    boolean isOn() {
        return on;
    }

    /** Whether a fall-back is an exception. */
    boolean isFailing() {
        return failing;
    }

    boolean hasRules() {
        return !profile.rules().list().isEmpty();
    }

    /** As {@link Accelerator#servesSockets}. */
    boolean servesSockets() {
        return profile.get(Keys.SOCKETS);
    }

    /** Whether connections may leave the kernel that no rule covers. */
    boolean movesUnruled() {
        return movesUnruled;
    }

    /** Whether datagram sockets look for links from their first datagram on. */
    boolean linksDatagramsAtOnce() {
        return linksDatagramsAtOnce;
    }

    /** Whether nobody has said when connections leave the kernel, so that none does as long as the process is young. */
    boolean waitsForYouth() {
        return waitsForYouth;
    }

    /** As {@link Accelerator#startsPlain}. */
    boolean startsPlain() {
        return startsPlain;
    }
}
