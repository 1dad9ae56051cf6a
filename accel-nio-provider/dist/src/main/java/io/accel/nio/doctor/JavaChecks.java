// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Keys;
import io.accel.profile.Mode;
import io.accel.profile.Profile;
import io.accel.profile.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Checks the JVM: whether Accel can run in it, and which options it has. */
final class JavaChecks {
    /** The first Java that tells the address of a direct buffer by itself. */
    private static final int FIRST_WITH_ADDRESSES = 22;

    private static final String NO_UNSAFE = "io.netty.noUnsafe";

    private JavaChecks() {}

    static List<Finding> run(Profile profile) {
        List<Finding> findings = new ArrayList<>();
        findings.add(jdk());
        findings.add(processors());
        findings.add(profile(profile));
        return findings;
    }

    private static Finding jdk() {
        String version = "Java " + Runtime.version() + " on " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + " " + System.getProperty("os.arch");
        if (!System.getProperty("os.name").equals("Linux")) {
            return Finding.fail("java.jdk", version, "Accel works on Linux only; elsewhere leave it out");
        }
        try {
            JdkAccess.kernelProvider();
            return Finding.ok("java.jdk", version);
        } catch (IllegalStateException e) {
            return Finding.fail("java.jdk", version + ": the JDK's own provider is closed to Accel", e.getMessage());
        }
    }

    private static Finding processors() {
        int processors = Runtime.getRuntime().availableProcessors();
        String found = processors + (processors == 1 ? " processor" : " processors") + " for this process";
        return processors >= 2
                ? Finding.ok("java.processors", found)
                : Finding.warning(
                        "java.processors",
                        found,
                        "two ends that share one processor take turns on it: use the profile low-cpu here");
    }

    /** Checks whether the Netty transport can tell where a buffer lies, without which an RDMA device sends from copies. */
    static Finding inPlace() {
        boolean always = Runtime.version().feature() >= FIRST_WITH_ADDRESSES;
        if (!always && Boolean.getBoolean(NO_UNSAFE)) {
            return Finding.warning(
                    "java.zero-copy",
                    "Netty may not use sun.misc.Unsafe, so RDMA devices send copies of AccelByteBufAllocator's buffers",
                    "leave out -D" + NO_UNSAFE + "=true, or run the program on Java " + FIRST_WITH_ADDRESSES
                            + " or newer");
        }
        return Finding.ok(
                "java.zero-copy",
                "RDMA devices send AccelByteBufAllocator's buffers from where they lie"
                        + (always ? "" : ", unless the program has -D" + NO_UNSAFE + "=true"));
    }

    private static Finding profile(Profile profile) {
        String defaults = Profile.load(io.accel.profile.Profiles.defaultName(), java.util.Map.of()).settings().stream()
                .map(Setting::text)
                .collect(Collectors.joining("\n"));
        List<String> standard = List.of(defaults.split("\n", -1));
        List<String> changed = new ArrayList<>();
        List<Setting<?>> settings = profile.settings();
        for (int i = 0; i < settings.size(); i++) {
            if (!settings.get(i).text().equals(standard.get(i))) {
                changed.add(settings.get(i).toString());
            }
        }
        String found = profile.name() + (changed.isEmpty() ? "" : ": " + String.join(", ", changed));
        return profile.get(Keys.MODE) == Mode.OFF
                ? Finding.warning("java.profile", found, "nothing is accelerated with this profile")
                : Finding.ok("java.profile", found);
    }
}
