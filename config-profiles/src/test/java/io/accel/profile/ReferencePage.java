// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Writes docs/PROFILES.md from the schema and the presets. */
final class ReferencePage {
    private final StringBuilder page = new StringBuilder();

    static String render() {
        ReferencePage reference = new ReferencePage();
        reference.introduction();
        reference.presets();
        reference.keys();
        reference.rules();
        return reference.page.toString();
    }

    private void introduction() {
        page.append("""
                # Profiles

                This page is generated from the schema. After a change to the schema run
                `mvn -pl config-profiles test -Dtest=ReferencePageTest -Ddocs.write=true`.

                A profile says how Accel behaves. Choose a preset or a file of your own:

                ```
                -Daccel.profile=latency
                -Daccel.profile=/etc/accel/my.properties
                ```

                Each layer lies over the ones before it: the defaults, a preset, your file, the variable `ACCEL_OPTIONS`
                (`ACCEL_OPTIONS=poll.spin=50us,fabric.order=shm,rdma`), the agent's arguments, `-Daccel.KEY=VALUE`. The variable
                `ACCEL_PROFILE` chooses the profile where `-Daccel.profile` does not.
                `accel profiles show NAME` prints every value in force and where it came from; `accel profiles check FILE`
                lists everything that is wrong with a file.

                A file has the syntax of `java.util.Properties`, in UTF-8. It may start with the preset or the file that it
                builds on, whose path is relative to its own:

                ```properties
                include=latency
                ring.size=256KiB
                rule.1=kernel server *:22
                ```

                Spaces around a value are dropped. A key that is unknown, occurs twice, or has a value that is not
                allowed stops the program with a message that names the file and the line.

                """);
    }

    private void presets() {
        page.append("## Presets\n\n| preset | for | sets |\n|---|---|---|\n");
        for (String name : Profiles.names()) {
            String sets = Profile.load(name, Map.of()).settings().stream()
                    .filter(setting -> setting.origin().kind() == Origin.Kind.PRESET)
                    .map(setting -> "`" + setting.key() + "=" + setting.text() + "`")
                    .collect(Collectors.joining(", "));
            page.append("| `%s`%s | %s | %s |%n"
                    .formatted(
                            name,
                            name.equals(Profiles.defaultName()) ? " (default)" : "",
                            Profiles.description(name),
                            sets));
        }
    }

    private void keys() {
        page.append("\n## Keys\n");
        String group = null;
        for (Key<?> key : Keys.all()) {
            if (!Objects.equals(group, key.group())) {
                group = key.group();
                page.append("\n### %s%n%n| key | default | type | allowed | what it does |%n|---|---|---|---|---|%n"
                        .formatted(group));
            }
            row(key);
        }
    }

    private <T> void row(Key<T> key) {
        String value = key.render(key.defaultValue());
        page.append("| `%s` | %s | %s | %s | %s |%n"
                .formatted(
                        key.name(),
                        value.isEmpty() ? "empty" : "`" + value + "`",
                        key.typeName(),
                        key.allowed(),
                        key.description()));
    }

    private void rules() {
        page.append("""

                ## Transport rules

                Rules say which connections to accelerate:

                ```properties
                rule.1=accelerate client 10.0.0.0/8:9092
                rule.2=kernel server *:22
                rule.3=shm * 127.0.0.0/8:1024-65535 tcp
                rule.4=kernel * unix:/run/postgresql/*
                rule.9=kernel * *:*
                ```

                `rule.N=ACTION ROLE ADDRESS[/LENGTH]:PORT[-PORT] [tcp|udp]`, or `rule.N=ACTION ROLE unix:PATH`

                | part | meaning |
                |---|---|
                | `N` | 1 to 999999999: rules are asked in the order of their numbers, and the first that matches decides |
                | `ACTION` | `accelerate` (the fabrics in `fabric.order`, then the kernel), `kernel`, or `shm` or `rdma` (that fabric only, if `fabric.order` has it, then the kernel) |
                | `ROLE` | `client` (the address connected to), `server` (the address listened on) or `*` |
                | `ADDRESS` | an IPv4 address, an IPv6 address in brackets, or `*`; names are not looked up |
                | `LENGTH` | how many leading bits count: 0 to 32, or 0 to 128 for IPv6; without it, all |
                | `PORT` | 1 to 65535, a range, or `*` |
                | `tcp`, `udp` | streams or datagrams only; without it, both |
                | `PATH` | the path of a Unix-domain socket, absolute: `*` is any part of a name, `**` any part of a path, `?` any character of a name; `unix:*` is every path |

                A connection that no rule matches is accelerated. An accepted connection follows the rule of its listener. A listener on
                the wildcard address has the addresses `0.0.0.0` and `[::]`. An IPv4 address mapped into IPv6 is the IPv4
                address. A rule of the same number in a later layer replaces the earlier one.

                Unix-domain streams are matched by rules with a path and by no others: `*:*` is every address and port. A rule's path is
                compared with the path by which the program connects or listens, made absolute; symbolic links are not followed. `rdma`
                leaves such streams to the kernel.
                """);
    }
}
