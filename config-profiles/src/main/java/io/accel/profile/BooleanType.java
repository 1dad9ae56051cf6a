// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.util.List;

/** The type of {@code true} or {@code false}, and nothing that merely looks like one. */
record BooleanType() implements ValueType<Boolean> {
    @Override
    public String name() {
        return "boolean";
    }

    @Override
    public String allowed() {
        return "true or false";
    }

    @Override
    public Boolean parse(String text) throws BadValueException {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        throw new BadValueException("not a boolean" + NearestName.hint(text, List.of("true", "false")));
    }

    @Override
    public String render(Boolean value) {
        return value.toString();
    }
}
