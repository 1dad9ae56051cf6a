// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the constants of a class file tell of the class.
 *
 * @param texts the strings in its code
 * @param calls the methods that it calls, each as {@code java/lang/Class.forName}
 */
record ClassConstants(Set<String> texts, Set<String> calls) {
    private static final int MAGIC_AND_VERSION = 8;

    /** Reads a class file. */
    static ClassConstants read(InputStream file) throws IOException {
        DataInputStream in = new DataInputStream(file);
        in.skipNBytes(MAGIC_AND_VERSION);
        int count = in.readUnsignedShort();
        Map<Integer, String> utf = new HashMap<>();
        Map<Integer, int[]> references = new HashMap<>();
        Set<Integer> strings = new HashSet<>();
        Set<Integer> methods = new HashSet<>();
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> utf.put(i, in.readUTF());
                case 3, 4 -> in.skipNBytes(4);
                case 5, 6 -> {
                    in.skipNBytes(8);
                    i++; // it takes two places
                }
                case 7, 8, 16, 19, 20 -> {
                    references.put(i, new int[] {in.readUnsignedShort()});
                    if (tag == 8) {
                        strings.add(i);
                    }
                }
                case 9, 10, 11, 12, 17, 18 -> {
                    references.put(i, new int[] {in.readUnsignedShort(), in.readUnsignedShort()});
                    if (tag == 10 || tag == 11) {
                        methods.add(i);
                    }
                }
                case 15 -> in.skipNBytes(3);
                default -> throw new IOException("no class file: constant of kind " + tag);
            }
        }
        Set<String> texts = new HashSet<>();
        strings.forEach(i -> texts.add(utf.get(references.get(i)[0])));
        Set<String> calls = new HashSet<>();
        methods.forEach(i -> {
            String owner = utf.get(references.get(references.get(i)[0])[0]);
            calls.add(owner + '.' + utf.get(references.get(references.get(i)[1])[0]));
        });
        return new ClassConstants(texts, calls);
    }
}
