// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.compatibility;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * The modules of the build, and the versions that it resolves for their direct dependencies: the version that the dependency
 * names, else the version that the module or the root manages, also through a BOM of the same group. Nothing else overrides these
 * in Maven.
 */
final class Poms {
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");

    private final Path root;
    private final Element parent;
    private final Map<String, Element> poms = new HashMap<>();

    Poms(Path root) {
        this.root = root;
        this.parent = read(root);
    }

    /** The directories of all modules below the root, including modules of modules. */
    List<String> modules() {
        return modulesOf("", parent);
    }

    private List<String> modulesOf(String directory, Element pom) {
        List<String> modules = new ArrayList<>();
        for (Element each : children(child(pom, "modules"), "module")) {
            String module = directory + each.getTextContent();
            modules.add(module);
            modules.addAll(modulesOf(module + "/", pomOf(module)));
        }
        return modules;
    }

    private Element pomOf(String module) {
        Element pom = poms.get(module);
        if (pom == null) {
            pom = read(root.resolve(module));
            poms.put(module, pom);
        }
        return pom;
    }

    /** A property of the root's. */
    String property(String name) {
        return resolve(parent, "${" + name + "}");
    }

    /** @param artifact {@code groupId:artifactId} of a dependency of the module's */
    String versionOf(String module, String artifact) {
        Element pom = pomOf(module);
        for (Element dependency : children(child(pom, "dependencies"), "dependency")) {
            if (artifact.equals(artifactOf(dependency))) {
                String version = text(dependency, "version");
                return resolve(pom, version.isEmpty() ? managed(pom, artifact) : version);
            }
        }
        throw new IllegalArgumentException(artifact + " is no dependency of " + module);
    }

    private String managed(Element pom, String artifact) {
        String group = artifact.substring(0, artifact.indexOf(':'));
        for (Element each : List.of(pom, parent)) {
            List<Element> managed = children(child(child(each, "dependencyManagement"), "dependencies"), "dependency");
            for (Element dependency : managed) {
                boolean isBom = text(dependency, "scope").equals("import")
                        && text(dependency, "groupId").equals(group);
                if (isBom || artifact.equals(artifactOf(dependency))) {
                    return text(dependency, "version");
                }
            }
        }
        throw new IllegalArgumentException("nothing gives " + artifact + " a version");
    }

    private String resolve(Element pom, String text) {
        Matcher property = PROPERTY.matcher(text);
        if (!property.find()) {
            return text;
        }
        String name = property.group(1);
        for (Element each : List.of(pom, parent)) {
            String value = text(child(each, "properties"), name);
            if (!value.isEmpty()) {
                return resolve(pom, property.replaceFirst(Matcher.quoteReplacement(value)));
            }
        }
        throw new IllegalArgumentException("no pom.xml has the property " + name);
    }

    private static String artifactOf(Element dependency) {
        return text(dependency, "groupId") + ":" + text(dependency, "artifactId");
    }

    private static Element read(Path directory) {
        Path file = directory.resolve("pom.xml");
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement();
        } catch (IOException | SAXException | ParserConfigurationException e) {
            throw new IllegalStateException(file + " cannot be read", e);
        }
    }

    private static String text(Element parent, String name) {
        Element child = child(parent, name);
        return child == null ? "" : child.getTextContent().strip();
    }

    private static Element child(Element parent, String name) {
        List<Element> all = children(parent, name);
        return all.isEmpty() ? null : all.get(0);
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> children = new ArrayList<>();
        Node each = parent == null ? null : parent.getFirstChild();
        for (; each != null; each = each.getNextSibling()) {
            if (each instanceof Element element && element.getTagName().equals(name)) {
                children.add(element);
            }
        }
        return children;
    }
}
