// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.IOException;
import java.io.Reader;
import java.io.StreamTokenizer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a file of JSON that has objects, lists, strings, true and false. */
final class Json {
    private final StreamTokenizer tokens;

    private Json(Reader reader) {
        tokens = new StreamTokenizer(reader);
        tokens.ordinaryChar('/');
    }

    /** Returns a map, a list, a string or a boolean. */
    static Object read(Path file) throws IOException {
        try (Reader reader = Files.newBufferedReader(file)) {
            Json json = new Json(reader);
            Object value = json.value(json.next());
            if (json.next() != StreamTokenizer.TT_EOF) {
                throw json.bad();
            }
            return value;
        }
    }

    private int next() throws IOException {
        return tokens.nextToken();
    }

    private Object value(int first) throws IOException {
        return switch (first) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> tokens.sval;
            case StreamTokenizer.TT_WORD -> word();
            default -> throw bad();
        };
    }

    private Boolean word() throws IOException {
        return switch (tokens.sval) {
            case "true" -> true;
            case "false" -> false;
            default -> throw bad();
        };
    }

    private Map<String, Object> object() throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        int token = next();
        while (token != '}') {
            if (token != '"') {
                throw bad();
            }
            String key = tokens.sval;
            if (next() != ':' || all.put(key, value(next())) != null) {
                throw bad();
            }
            token = afterElement('}');
        }
        return all;
    }

    private List<Object> list() throws IOException {
        List<Object> all = new ArrayList<>();
        int token = next();
        while (token != ']') {
            all.add(value(token));
            token = afterElement(']');
        }
        return all;
    }

    /** Returns the token of the next element, or the end. */
    private int afterElement(char end) throws IOException {
        int token = next();
        if (token == ',') {
            return next();
        }
        if (token != end) {
            throw bad();
        }
        return token;
    }

    private IOException bad() {
        return new IOException("no JSON: " + tokens);
    }
}
