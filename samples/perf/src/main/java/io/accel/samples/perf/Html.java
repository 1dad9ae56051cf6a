// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Locale;

/** Helpers with which every part of the page is written. */
final class Html {
    private Html() {}

    /** Text that is escaped for use between tags and in quoted attributes. */
    static String text(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    /** A coordinate. */
    static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    /** The class that gives a row its colour, the same on the whole page: the path's, or for rows with Accel the profile's. */
    static String colour(Row row) {
        return switch (row.path()) {
            case "shm", "accel" ->
                switch (row.profile()) {
                    case "balanced" -> "c-verbs";
                    case "low-cpu" -> "c-rdma";
                    case "off" -> "c-plain";
                    default -> "c-shm";
                };
            case "rdma", "kernel", "plain", "rstream" -> "c-" + row.path();
            case "raw", "memcpy" -> "c-limit";
            // Netty's ways through the kernel.
            case "epoll" -> "c-kernel";
            case "nio" -> "c-plain";
            case "unix" -> "c-rstream";
            default -> "c-verbs";
        };
    }

    /** A path as the page calls it: with its profile, if Accel took part. */
    static String label(Row row) {
        return text(row.profile().equals("none") ? row.path() : row.path() + ", " + row.profile());
    }

    /** The entry of a legend: the path's mark, its name, and {@code what} about it. */
    static String legend(Row row, String what) {
        return "<li class=\"" + colour(row) + "\"><i></i>" + label(row) + " <span>" + text(what) + "</span></li>\n";
    }
}
