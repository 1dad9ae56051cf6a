package io.accel.samples.perf;

import java.util.Locale;

/** What every part of the page is written with. */
final class Html {
    private Html() {}

    /** Text as it may stand between tags and in quoted attributes. */
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

    /** The class that gives a path its colour, the same in all of the page. */
    static String colour(String path) {
        return switch (path) {
            case "shm", "rdma", "kernel", "plain", "rstream" -> "c-" + path;
            case "raw", "memcpy" -> "c-limit";
            // Ways through the kernel that Netty has.
            case "epoll" -> "c-kernel";
            case "nio" -> "c-plain";
            case "unix" -> "c-rstream";
            default -> "c-verbs";
        };
    }

    /** A path as the page calls it: with its profile, where Accel took part. */
    static String label(Row row) {
        return text(row.profile().equals("none") ? row.path() : row.path() + ", " + row.profile());
    }

    /** The entry of a legend: the path's mark, its name, and {@code what} about it. */
    static String legend(Row row, String what) {
        return "<li class=\"" + colour(row.path()) + "\"><i></i>" + label(row) + " <span>" + text(what)
                + "</span></li>\n";
    }
}
