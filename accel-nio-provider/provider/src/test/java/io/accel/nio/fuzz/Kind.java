// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.util.List;
import net.jqwik.api.Arbitrary;

/** The kinds of channels that programs use. */
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
    UNIX {
        @Override
        Arbitrary<List<Step>> programs() {
            return UnixPrograms.programs();
        }

        @Override
        Setting oracle() {
            return Setting.jdkUnix();
        }

        @Override
        List<Setting> accel() {
            return Setting.accelUnix();
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
    },
    /** Streams and datagrams of buffers of which some fail. */
    BUFFERS {
        @Override
        Arbitrary<List<Step>> programs() {
            return BufferPrograms.programs();
        }

        @Override
        List<Setting> accel() {
            return Setting.accelBuffers();
        }
    };

    abstract Arbitrary<List<Step>> programs();

    /** The JDK's setting, which is right. */
    Setting oracle() {
        return Setting.jdk();
    }

    /** Accel's settings that are compared with the JDK's. */
    abstract List<Setting> accel();
}
