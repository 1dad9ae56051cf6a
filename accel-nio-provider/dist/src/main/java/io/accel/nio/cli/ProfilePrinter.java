// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.profile.Key;
import io.accel.profile.Profile;
import io.accel.profile.Setting;
import io.accel.profile.TransportRule;
import java.io.PrintWriter;
import java.util.List;

/** Writes a profile out in full: each setting with its purpose, its possible values, and the origin of its value. */
final class ProfilePrinter {
    private final PrintWriter out;

    ProfilePrinter(PrintWriter out) {
        this.out = out;
    }

    /** Prints a profile so that the output, read as a file, gives the same settings and rules. */
    void print(Profile profile) {
        out.println("# " + profile.name());
        for (Setting<?> setting : profile.settings()) {
            Key<?> key = setting.key();
            out.println();
            out.println("# " + key.description());
            out.println("# " + key.allowed() + ". Here: " + setting.origin());
            out.println(key.name() + "=" + setting.text());
        }
        List<TransportRule> rules = profile.rules().list();
        if (!rules.isEmpty()) {
            out.println();
            out.println(
                    "# The first rule that matches a connection decides; a connection that no rule matches is accelerated.");
            rules.forEach(rule -> out.println("rule." + rule.number() + "=" + rule.text()));
        }
    }
}
