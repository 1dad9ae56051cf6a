// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.compatibility;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes docs/COMPATIBILITY.md. */
final class CompatibilityPage {
    private static final Map<String, String> FABRICS = Map.of("SHM", "shared memory", "RDMA", "RDMA, in the lab");

    private CompatibilityPage() {}

    static String render(List<Marked> marked, Poms poms) {
        String rows = marked.stream()
                .sorted(Comparator.comparing((Marked each) -> each.name(), String.CASE_INSENSITIVE_ORDER)
                        .thenComparing(Marked::module)
                        .thenComparing(Marked::test))
                .map(each -> row(each, poms))
                .collect(Collectors.joining());
        return """
                # Programs that were tried

                The tests of this repository run these unmodified programs with Accel, and fail where one is not accelerated. This page is
                generated from the tests' marks (`@RealProgram`) and the versions that the build resolves; after a change to either run
                `mvn -pl samples/system-tests -am test -Dtest=CompatibilityPageTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true`.

                These proofs show that a connection is accelerated. In `samples/system-tests` and `accel-nio-provider/dist` it is the memory that the kernel lists as mapped at
                both ends, not Accel's own word; for datagrams, that the kernel's count of datagrams stands still; over RDMA, also the kernel's
                queue pairs. On Accel's Netty transport it is the path that each channel names. Of the programs of `./accel perf apps` it is the share of the client's
                connections that `accel stats` lists on a path other than the kernel's. Of Spring Boot's and JGroups' other tests, and of the choice of Netty's
                transport, it is the mapped memory again; where Spring Boot gets a connection for each request, that the exported counters have all of them.

                | program | version | how it is tried | over | test |
                |---|---|---|---|---|
                """ + rows + """

                `AppsIT`, `AllAppsIT`, `ArtemisIT` and `CassandraIT` are the tests of `./accel perf apps`, which measures the same programs. Tests with `--all` run each night
                (`./accel test --all`).

                ## JVMs and their switches

                On JDK 17 and on the newest JDK a program is accelerated with each of these, by the property and by the agent, and the JVM prints no more than
                it does without Accel:

                | what | test in `accel-nio-provider/dist` |
                |---|---|
                | ZGC; Shenandoah; the serial collector without compressed references | `JvmSwitchesIT` |
                | `-Xcheck:jni` | `JvmSwitchesIT` |
                | `--illegal-native-access=deny`, `--sun-misc-unsafe-memory-access=deny`, `--illegal-final-field-mutation=deny`, where the JDK knows them | `JvmSwitchesIT` |
                | a flight recording from the start | `JvmSwitchesIT` |
                | an archive of classes (AppCDS), made with the property, used with either; on JDK 25 an AOT cache (JEP 514), with the property | `AppCdsIT` |
                | a run-time image of `java.base`, `jdk.net` and `jdk.unsupported`, and for the agent `java.instrument` | `JlinkIT` |
                | the agent beside the property, beside another agent, twice, and attached before the first channel | `AgentsIT` |
                | a `SecurityManager`, on JDKs that have one | `SecurityManagerIT` |
                | a web application and an OSGi bundle, whose class loaders do not see Accel, or see a copy | `WebApplicationIT`, `OsgiIT` |

                [LIMITS.md](LIMITS.md#what-is-accelerated) lists what is not accelerated.
                """;
    }

    private static String row(Marked marked, Poms poms) {
        String version = marked.artifact().isEmpty()
                ? "the JDK's, " + poms.property("maven.compiler.release") + " and newer"
                : poms.versionOf(marked.module(), marked.artifact());
        String over = marked.over().stream().map(CompatibilityPage::nameOf).collect(Collectors.joining("; "));
        return "| %s | %s | %s | %s | `%s` in `%s`%s |%n"
                .formatted(
                        marked.name(),
                        version,
                        marked.how(),
                        over,
                        marked.test(),
                        marked.module(),
                        marked.onlyWithAll() ? ", with `--all`" : "");
    }

    private static String nameOf(String fabric) {
        String name = FABRICS.get(fabric);
        if (name == null) {
            throw new IllegalArgumentException("the page has no words for " + fabric);
        }
        return name;
    }
}
