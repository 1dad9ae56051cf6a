// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The report of {@code ./accel site} about links between pages: a mistake there would let a broken link pass. */
@Timeout(60)
class SiteLinksTest {
    @TempDir
    private Path site;

    private void write(String page, String text) throws IOException {
        Path file = site.resolve(page);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private List<String> said() throws Exception {
        return Shell.withScript("site_links '" + site + "'", Shell.NOTHING)
                .lines()
                .toList();
    }

    @Test
    void linksThatLeadSomewhere() throws Exception {
        write("index.html", """
                <a href="#top" id="top">x</a> <a href="docs/A.html">y</a><a href="https://example.com/none.html">z</a>
                <a class="z" href="docs/../LICENSE">l</a><a href="docs/A.html#%3Cinit%3E(int)">constructor</a>
                """);
        write("docs/A.html", "<link href=\"../index.html#top\">\n<h1 id=\"&lt;init&gt;(int)\">\n<a href=\"./A.html\">");
        write("LICENSE", "");

        assertThat(said()).containsExactly("status 0");
    }

    @Test
    void linksThatLeadNowhere() throws Exception {
        write(
                "index.html",
                "<a href=\"#nothing\">x</a> <a href=\"docs/B.html\">y</a> <a href=\"docs\">a directory</a>");
        write("docs/A.html", "<a href=\"../index.html#top\"><a href=\"../../LICENSE\"><a href=\"../../LICENSE\">");

        assertThat(said())
                .containsExactly(
                        "accel: docs/A.html: the link to ../index.html#top leads nowhere",
                        "accel: docs/A.html: the link to ../../LICENSE leads nowhere",
                        "accel: index.html: the link to #nothing leads nowhere",
                        "accel: index.html: the link to docs/B.html leads nowhere",
                        "accel: index.html: the link to docs leads nowhere",
                        "status 1");
    }
}
