// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.bootstrap;

import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.SoftReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * jnr-ffi and all its needs, a jar in the drop-in jar. It is one entry there because each entry of a jar costs every JVM that opens it, and most
 * never need these. Its contents are kept for as long as the heap has room, as classes are loaded from it one by one. Thread-safe.
 */
final class Bundle {
    /** No package has such a name, so no class loader finds a class there by itself. */
    static final String FILE = "META-INF/accel/rdma/libraries.jar";

    private final ClassLoader resources;

    /** Guarded by this. */
    private SoftReference<Map<String, byte[]>> contents = new SoftReference<>(null);

    /** Makes the bundle that a class loader has; it need not have one. */
    Bundle(ClassLoader resources) {
        this.resources = resources;
    }

    boolean exists() {
        return resources.getResource(FILE) != null;
    }

    /** Returns the bytes of a file, not to be changed, or null if there is no such file. */
    synchronized byte[] read(String name) throws IOException {
        Map<String, byte[]> all = contents.get();
        if (all == null) {
            all = readAll();
            contents = new SoftReference<>(all);
        }
        return all.get(name);
    }

    private Map<String, byte[]> readAll() throws IOException {
        try (InputStream in = resources.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new FileNotFoundException("no " + FILE);
            }
            Map<String, byte[]> all = new HashMap<>();
            ZipInputStream zip = new ZipInputStream(in);
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                all.put(entry.getName(), zip.readAllBytes());
            }
            return all;
        } catch (IOException e) {
            throw new IOException(FILE + " cannot be read (is accel.jar damaged?): " + e, e);
        }
    }

    /** Returns where a file can be read from, or null if there is no such file. */
    URL find(String name) throws IOException {
        return read(name) == null ? null : url(name);
    }

    private URL url(String name) throws MalformedURLException {
        return new URL(null, "accel-rdma:/" + name, new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                return new Connection(url);
            }
        });
    }

    private final class Connection extends URLConnection {
        Connection(URL url) {
            super(url);
        }

        @Override
        public void connect() {
            connected = true;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            byte[] bytes = read(url.getPath().substring(1));
            if (bytes == null) {
                throw new FileNotFoundException(url.toString());
            }
            return new ByteArrayInputStream(bytes);
        }
    }
}
