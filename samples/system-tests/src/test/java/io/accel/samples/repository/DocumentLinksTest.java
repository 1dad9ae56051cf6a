// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.repository;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Links between the pages lead to existing files and headings, and the site's navigation leads to every page. */
@Timeout(60)
class DocumentLinksTest {
    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern NAVIGATION = Pattern.compile("href=\"([^\"]+)\\.html\"");
    /** The files that {@code ./accel site} makes beside the pages. */
    private static final String JAVADOC = "apidocs/index";

    private static final Pattern CODE = Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (String directory : List.of("", "docs")) {
            try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
            }
        }
        assertThat(pages).hasSizeGreaterThan(15);
        return pages;
    }

    private static List<String> anchorsOf(Path page) throws IOException {
        return HEADING.matcher(textOf(page))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{Alnum} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    private static String textOf(Path page) throws IOException {
        return CODE.matcher(Files.readString(page)).replaceAll("");
    }

    @Test
    void linksLeadSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (MatchResult each : LINK.matcher(textOf(page)).results().toList()) {
                String link = each.group(1);
                if (link.matches("[a-z]+:.*")) {
                    continue;
                }
                links++;
                int hash = link.indexOf('#');
                String file = hash < 0 ? link : link.substring(0, hash);
                Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
                if (!Files.exists(target) || (hash >= 0 && !anchorsOf(target).contains(link.substring(hash + 1)))) {
                    broken.add(ROOT.relativize(page) + ": " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).as("links that were looked at").isGreaterThan(50);
    }

    @Test
    void theNavigationLeadsToEveryPage() throws IOException {
        List<String> expected = new ArrayList<>(List.of(JAVADOC));
        for (Path page : pages()) {
            String name = ROOT.relativize(page).toString().replace(".md", "");
            expected.add(name.equals("README") ? "index" : name);
        }
        assertThat(NAVIGATION
                        .matcher(Files.readString(ROOT.resolve(Path.of("docs", "site.xml"))))
                        .results()
                        .map(link -> link.group(1)))
                .containsExactlyInAnyOrderElementsOf(expected);
    }
}
