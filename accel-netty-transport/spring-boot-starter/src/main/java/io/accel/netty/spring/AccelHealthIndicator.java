// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import io.accel.FallbackReason;
import io.accel.core.observe.Connections;
import io.accel.core.observe.ObservedConnection;
import io.accel.core.observe.PathName;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.runtime.AccelRuntime;
import io.accel.core.socket.Accelerator;
import io.accel.netty.Accel;
import io.accel.profile.Role;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Shows which paths the process's connections take, and why the kernel's connections are not accelerated. A fallback is never ill
 * health: a program whose bytes the kernel carries does its work. So the status is up, or unknown where Accel's transport is not
 * available.
 *
 * <p>The details are {@code profile}; {@code accelerating}, which is false in profile {@code off}; {@code connections}, the number
 * open now by path; {@code opened}, the number opened so far by path; and {@code fallbacks}, which has for each reason the number of
 * connections that the kernel carries for it now, the number counted so far, and the meaning. An accepted connection is counted when
 * it is closed. Thread-safe; stateless.
 */
final class AccelHealthIndicator extends AbstractHealthIndicator {
    AccelHealthIndicator() {
        super("Accel's state cannot be determined");
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        if (!Accel.isAvailable()) {
            builder.unknown().withException(Accel.unavailabilityCause());
            return;
        }
        Accelerator accelerator = AccelRuntime.get().accelerator();
        builder.up()
                .withDetail("profile", accelerator.profile().name())
                .withDetail("accelerating", accelerator.isOn())
                .withDetail("connections", open())
                .withDetail("opened", opened())
                .withDetail("fallbacks", fallbacks());
    }

    private static Map<String, Long> open() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (PathName path : PathName.values()) {
            counts.put(path.text(), 0L);
        }
        for (ObservedConnection connection : Connections.all()) {
            counts.merge(connection.path().text(), 1L, Long::sum);
        }
        return counts;
    }

    private static Map<String, Long> opened() {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (PathName path : PathName.values()) {
            long count = 0;
            for (Role role : Role.values()) {
                count += ProcessCounters.connections(role, path);
            }
            counts.put(path.text(), count);
        }
        return counts;
    }

    private static Map<String, Object> fallbacks() {
        Map<String, Long> now = new HashMap<>();
        for (ObservedConnection connection : Connections.all()) {
            if (connection.path() == PathName.KERNEL) {
                now.merge(connection.sample().reason(), 1L, Long::sum);
            }
        }
        Map<String, Object> reasons = new LinkedHashMap<>();
        for (FallbackReason reason : FallbackReason.values()) {
            long open = now.getOrDefault(reason.name(), 0L);
            long total = 0;
            for (Role role : Role.values()) {
                total += ProcessCounters.fallbacks(role, reason);
            }
            if (open + total > 0) {
                Map<String, Object> told = new LinkedHashMap<>();
                told.put("open", open);
                told.put("total", total);
                told.put("actionable", reason.actionable());
                told.put("what", reason.sentence());
                reasons.put(reason.name(), told);
            }
        }
        return reasons;
    }
}
