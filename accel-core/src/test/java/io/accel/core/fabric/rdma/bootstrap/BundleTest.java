// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class BundleTest {
    @TempDir
    Path dir;

    @Test
    void aFileIsRead() throws Exception {
        try (URLClassLoader resources = bundleOf("jni/a.so", new byte[] {1, 2, 3})) {
            Bundle bundle = new Bundle(resources);
            assertThat(bundle.exists()).isTrue();
            assertThat(bundle.read("jni/a.so")).containsExactly(1, 2, 3);
            assertThat(bundle.read("jni/b.so")).isNull();
            assertThat(bundle.find("jni/b.so")).isNull();
        }
    }

    /** As jnr-ffi does for the thread that finalizes its memory, so that this thread keeps no program's class loader. */
    @Test
    void aLoaderOfItsOwnCanBeMadeOfTheAddressOfAClass() throws Exception {
        String file = BundleTest.class.getName().replace('.', '/') + ".class";
        byte[] bytes;
        try (InputStream in = BundleTest.class.getResourceAsStream("/" + file)) {
            bytes = in.readAllBytes();
        }
        try (URLClassLoader resources = bundleOf(file, bytes)) {
            URL address = new Bundle(resources).find(file);
            URL base = new URL(
                    address, address.toString().substring(0, address.toString().length() - file.length()));
            try (URLClassLoader second = new URLClassLoader(new URL[] {base}, ClassLoader.getPlatformClassLoader())) {
                Class<?> found = Class.forName(BundleTest.class.getName(), false, second);
                assertThat(found).isNotSameAs(BundleTest.class);
                assertThat(found.getClassLoader()).isSameAs(second);
            }
            URL missing = new URL(base, "nothing");
            assertThatThrownBy(missing::openStream).isInstanceOf(FileNotFoundException.class);
        }
    }

    @Test
    void withoutABundleThereIsNothingToRead() throws Exception {
        try (URLClassLoader resources = loader()) {
            Bundle bundle = new Bundle(resources);
            assertThat(bundle.exists()).isFalse();
            assertThatThrownBy(() -> bundle.read("jni/a.so")).hasMessageContaining(Bundle.FILE);
        }
    }

    private URLClassLoader bundleOf(String name, byte[] bytes) throws IOException {
        Path file = dir.resolve(Bundle.FILE);
        Files.createDirectories(file.getParent());
        try (ZipOutputStream bundle = new ZipOutputStream(Files.newOutputStream(file))) {
            bundle.putNextEntry(new ZipEntry(name));
            bundle.write(bytes);
        }
        return loader();
    }

    private URLClassLoader loader() throws IOException {
        return new URLClassLoader(new URL[] {dir.toUri().toURL()}, null);
    }
}
