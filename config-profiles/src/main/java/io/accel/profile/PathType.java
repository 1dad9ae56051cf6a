// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** An absolute path: two processes with different working directories have to mean the same one. */
record PathType() implements ValueType<Path> {
    @Override
    public String name() {
        return "path";
    }

    @Override
    public String allowed() {
        return "an absolute path";
    }

    @Override
    public Path parse(String text) throws BadValueException {
        try {
            Path path = Path.of(text);
            if (path.isAbsolute()) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw new BadValueException("not a path: " + e.getReason());
        }
        throw new BadValueException("not absolute");
    }

    @Override
    public String render(Path value) {
        return value.toString();
    }
}
