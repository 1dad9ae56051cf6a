// SPDX-License-Identifier: Apache-2.0
/** Accel's settings: the schema, presets, the parser, and transport rules. */
module io.accel.profile {
    exports io.accel.profile;
}
