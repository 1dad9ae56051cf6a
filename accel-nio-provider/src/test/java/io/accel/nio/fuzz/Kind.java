// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.util.List;
import net.jqwik.api.Arbitrary;

/** What programs are about. */
enum Kind {
    STREAMS {
        @Override
        Arbitrary<List<Step>> programs() {
            return Programs.programs();
        }

        @Override
        List<Setting> accel() {
            return Setting.accel();
        }
    },
    DATAGRAMS {
        @Override
        Arbitrary<List<Step>> programs() {
            return DatagramPrograms.programs();
        }

        @Override
        List<Setting> accel() {
            return Setting.accelDatagrams();
        }
    };

    abstract Arbitrary<List<Step>> programs();

    /** Accel's settings that are compared with the JDK's. */
    abstract List<Setting> accel();
}
