// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CompatibilityPageTest {
    private static final Path ROOT = Path.of("..", "..");
    private static final Path PAGE = ROOT.resolve(Path.of("docs", "COMPATIBILITY.md"));

    @TempDir
    private Path directory;

    @Test
    void thePageIsThatOfTheMarksAndVersions() throws IOException {
        Poms poms = new Poms(ROOT);
        String page = CompatibilityPage.render(MarkedTests.in(ROOT, poms.modules()), poms);
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE)
                .as("docs/COMPATIBILITY.md is out of date: run this test with -Ddocs.write=true")
                .hasContent(page);
    }

    @Test
    void marksAreReadAsTheCompilerReadsThem() throws IOException {
        write("SomeIT", """
                @RealProgram(name = "One, " + "two", artifact = "g:a", how = "well",
                        over = {RealProgram.Fabric.SHM, Fabric.RDMA}, onlyWithAll = true)
                @RealProgram(name = "A part of the JDK", how = "by @RealProgram")
                class SomeIT { @Test void runs() {} }
                """);
        write("OtherTest", "/** Not a mark: @RealProgram. */ class OtherTest { @Test void runs() {} }");

        assertThat(MarkedTests.in(directory, List.of("module", "without-tests")))
                .containsExactly(
                        new Marked("module", "SomeIT", "One, two", "g:a", "well", List.of("SHM", "RDMA"), true),
                        new Marked(
                                "module", "SomeIT", "A part of the JDK", "", "by @RealProgram", List.of("SHM"), false));
    }

    @Test
    void aMarkOfWhatIsNoTestIsRefused() throws IOException {
        write("Helper", "@RealProgram(name = \"x\", how = \"y\") class Helper { @Test void runs() {} }");

        assertThatThrownBy(() -> MarkedTests.in(directory, List.of("module")))
                .hasMessage("Helper is marked with a program, and is no test");

        write("Helper", "class Helper {}");
        write("EmptyTest", "@RealProgram(name = \"x\", how = \"y\") class EmptyTest {}");

        assertThatThrownBy(() -> MarkedTests.in(directory, List.of("module")))
                .hasMessage("EmptyTest is marked with a program, and is no test");
    }

    @Test
    void versionsAreThoseThatMavenResolves() throws IOException {
        Files.writeString(directory.resolve("pom.xml"), """
                <project><modules><module>module</module><module>parent</module></modules>
                <properties><a.version>1</a.version><bom.version>3.${a.version}</bom.version></properties>
                <dependencyManagement><dependencies>
                <dependency><groupId>g</groupId><artifactId>managed</artifactId><version>2</version></dependency>
                </dependencies></dependencyManagement></project>
                """);
        write(Path.of("module", "pom.xml"), """
                <project>
                <properties><b.version>5</b.version></properties>
                <dependencyManagement><dependencies>
                <dependency><groupId>of.bom</groupId><artifactId>bom</artifactId><version>${bom.version}</version><scope>import</scope></dependency>
                </dependencies></dependencyManagement>
                <dependencies>
                <dependency><groupId>g</groupId><artifactId>a</artifactId><version>${a.version}</version></dependency>
                <dependency><groupId>g</groupId><artifactId>b</artifactId><version>${b.version}</version></dependency>
                <dependency><groupId>g</groupId><artifactId>managed</artifactId></dependency>
                <dependency><groupId>of.bom</groupId><artifactId>c</artifactId></dependency>
                <dependency><groupId>g</groupId><artifactId>lost</artifactId></dependency>
                </dependencies></project>
                """);
        write(Path.of("parent", "pom.xml"), "<project><modules><module>inner</module></modules></project>");
        write(Path.of("parent", "inner", "pom.xml"), "<project/>");
        Poms poms = new Poms(directory);

        assertThat(poms.modules()).containsExactly("module", "parent", "parent/inner");
        assertThat(poms.versionOf("module", "g:a")).isEqualTo("1");
        assertThat(poms.versionOf("module", "g:b")).isEqualTo("5");
        assertThat(poms.versionOf("module", "g:managed")).isEqualTo("2");
        assertThat(poms.versionOf("module", "of.bom:c")).isEqualTo("3.1");
        assertThatThrownBy(() -> poms.versionOf("module", "g:lost")).hasMessage("nothing gives g:lost a version");
        assertThatThrownBy(() -> poms.versionOf("module", "g:none")).hasMessage("g:none is no dependency of module");
    }

    private void write(String name, String source) throws IOException {
        write(Path.of("module", "src", "test", "java", name + ".java"), source);
    }

    private void write(Path file, String text) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
