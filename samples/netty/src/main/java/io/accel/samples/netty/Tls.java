// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/** TLS of the samples, from a key store as {@code keytool} makes it. */
final class Tls {
    private Tls() {}

    /** With the store's key and certificate. */
    static SslContext server(Path store, String password) throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(load(store, password), password.toCharArray());
        return SslContextBuilder.forServer(keys).build();
    }

    /** A client's side that trusts the certificates in the store. */
    static SslContext client(Path store, String password) throws IOException, GeneralSecurityException {
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(load(store, password));
        return SslContextBuilder.forClient().trustManager(trusted).build();
    }

    private static KeyStore load(Path store, String password) throws IOException, GeneralSecurityException {
        File file = store.toFile();
        return KeyStore.getInstance(file, password.toCharArray());
    }
}
