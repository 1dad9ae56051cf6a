// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The gRPC service of the samples, by hand: two methods whose messages are text. A real one would be generated. */
final class Greeter {
    /** The service's name. */
    static final String NAME = "accel.samples.Greeter";

    /** One greeting for one name. */
    static final MethodDescriptor<String, String> GREET = method("Greet", MethodType.UNARY);

    /** A greeting for each name of a stream. */
    static final MethodDescriptor<String, String> GREET_ALL = method("GreetAll", MethodType.BIDI_STREAMING);

    private Greeter() {}

    private static MethodDescriptor<String, String> method(String name, MethodType type) {
        return MethodDescriptor.<String, String>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
                .setRequestMarshaller(new Text())
                .setResponseMarshaller(new Text())
                .build();
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
