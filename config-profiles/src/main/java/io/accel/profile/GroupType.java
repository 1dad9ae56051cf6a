// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipalNotFoundException;

/** The type of a group of this system, by name or by number, which the system need not know; or nothing. */
record GroupType() implements ValueType<String> {
    @Override
    public String name() {
        return "string";
    }

    @Override
    public String allowed() {
        return "the name or the number of a group of this system, or nothing";
    }

    @Override
    public String parse(String text) throws BadValueException {
        if (!text.isEmpty()) {
            try {
                FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByGroupName(text);
            } catch (UserPrincipalNotFoundException e) {
                throw new BadValueException("this system has no group '" + text + "'");
            } catch (IOException e) {
                throw new BadValueException("whether there is a group '" + text + "' cannot be found out: " + e);
            }
        }
        return text;
    }

    @Override
    public String render(String value) {
        return value;
    }
}
