// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.PortSpace;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class DeferredRdmaFabricTest {
    private static final InetSocketAddress SOMEWHERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

    @TempDir
    Path dir;

    @Test
    void aMachineWithoutADeviceSaysSo() {
        DeferredRdmaFabric fabric =
                new DeferredRdmaFabric(config(), dir.resolve("infiniband").toFile());
        assertThatThrownBy(() -> fabric.connect(SOMEWHERE, address -> SOMEWHERE, 65_536))
                .isInstanceOfSatisfying(
                        FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.NO_DEVICE));
        assertThatThrownBy(() -> fabric.listen(SOMEWHERE, null)).hasMessage("this machine has no RDMA device");
    }

    @Test
    void withADeviceTheFabricIsLoadedFromTheClassPath() throws Exception {
        assertThat(RdmaClasses.load("io.accel.core.fabric.rdma.RdmaFabric").getClassLoader())
                .isSameAs(DeferredRdmaFabric.class.getClassLoader());
        assertThat(RdmaClasses.newFabric(config()).name()).isEqualTo("rdma");
    }

    @Test
    void withoutJnrFfiThatIsTheReasonAndNoErrorOfLinking() throws Exception {
        assertThat(reason(path -> !path.contains("jnr-ffi"), this::look))
                .startsWith("NO_LIBRARY: ")
                .contains("jnr-ffi");
    }

    @Test
    void withoutItsLowerLayerToo() throws Exception {
        assertThat(reason(path -> !path.contains("jffi"), this::look))
                .startsWith("NO_LIBRARY: ")
                .contains("jnr-ffi");
    }

    @Test
    void aBundleThatIsIncompleteIsTheReason() throws Exception {
        try (ZipOutputStream bundle = bundle()) {
            bundle.putNextEntry(new ZipEntry("com/kenai/jffi/Init.class"));
            bundle.write(new byte[] {1, 2, 3});
        }
        assertThat(reason(path -> true, this::listen))
                .startsWith("NO_LIBRARY: ")
                .contains("no jni/", "in META-INF/accel/rdma/libraries.jar");
    }

    @Test
    void soIsOneThatHasNoJffi() throws Exception {
        try (ZipOutputStream bundle = bundle()) {
            bundle.putNextEntry(new ZipEntry("jni/x86_64-Linux/libjffi-1.2.so"));
            bundle.putNextEntry(new ZipEntry("jni/aarch64-Linux/libjffi-1.2.so"));
        }
        assertThat(reason(path -> true, this::listen)).startsWith("NO_LIBRARY: ");
    }

    @Test
    void soIsOneThatIsCutShort() throws Exception {
        try (ZipOutputStream bundle = bundle()) {
            bundle.putNextEntry(new ZipEntry("jni/x86_64-Linux/libjffi-1.2.so"));
            bundle.write(new byte[10_000]);
        }
        Path file = dir.resolve(Bundle.FILE);
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 60));
        assertThat(reason(path -> true, this::listen))
                .startsWith("NO_LIBRARY: ")
                .contains("EOF");
    }

    private ZipOutputStream bundle() throws IOException {
        Path file = dir.resolve(Bundle.FILE);
        Files.createDirectories(file.getParent());
        return new ZipOutputStream(Files.newOutputStream(file));
    }

    private interface Choice {
        boolean takes(String path);
    }

    private interface Call {
        Object on(ClassLoader loader) throws Exception;
    }

    /** The reason for a fall-back where the class path has only a part of this one, and {@link #dir}; asked twice. */
    private String reason(Choice choice, Call call) throws Exception {
        List<URL> urls = new ArrayList<>(List.of(dir.toUri().toURL()));
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (choice.takes(Path.of(path).getFileName().toString())) {
                urls.add(Path.of(path).toUri().toURL());
            }
        }
        try (URLClassLoader part = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            String first = reasonOf(part, call);
            assertThat(reasonOf(part, call)).isEqualTo(first);
            return first;
        }
    }

    private static String reasonOf(ClassLoader part, Call call) throws Exception {
        try {
            throw new AssertionError("it works: " + call.on(part));
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            return cause.getClass().getMethod("reason").invoke(cause) + ": " + cause.getMessage();
        }
    }

    /** The fabric's own look at what is there, as if the machine had a device. */
    private Object look(ClassLoader loader) throws Exception {
        Class<?> type = (Class<?>) loader.loadClass(RdmaClasses.class.getName())
                .getMethod("load", String.class)
                .invoke(null, "io.accel.core.fabric.rdma.Availability");
        Constructor<?> constructor = type.getDeclaredConstructor(Path.class);
        constructor.setAccessible(true);
        Method check = type.getDeclaredMethod("check");
        check.setAccessible(true);
        return check.invoke(constructor.newInstance(dir));
    }

    private Object listen(ClassLoader loader) throws Exception {
        Constructor<?> newConfig = loader.loadClass(RdmaConfig.class.getName()).getConstructors()[0];
        Object streams =
                loader.loadClass(PortSpace.class.getName()).getField("TCP").get(null);
        Object config =
                newConfig.newInstance(streams, 65_536, 1L, 1L, List.of(), 0, 0, 32, 0, 1, 1, 1L, 7, 7, 0L, 1L, false);
        Constructor<?> newFabric = loader.loadClass(DeferredRdmaFabric.class.getName())
                .getDeclaredConstructor(config.getClass(), File.class);
        newFabric.setAccessible(true);
        Object fabric = newFabric.newInstance(config, dir.toFile());
        for (Method method : loader.loadClass(Fabric.class.getName()).getMethods()) {
            if (method.getName().equals("listen")) {
                return method.invoke(fabric, SOMEWHERE, null);
            }
        }
        throw new AssertionError("a fabric that cannot listen");
    }

    private static RdmaConfig config() {
        return new RdmaConfig(PortSpace.TCP, 65_536, 1, 1, List.of(), 0, 0, 32, 0, 1, 1, 1, 7, 7, 0, 1, false);
    }
}
