// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/** The buffers of one operation. */
final class Pieces {
    /**
     * A buffer of a program.
     *
     * @param material its memory
     * @param size how many bytes
     */
    record Piece(Material material, int size) {}

    private final List<Piece> pieces;
    private final ByteBuffer[] buffers;
    private final int[] starts;

    private Pieces(List<Piece> pieces, byte[] content) throws IOException {
        this.pieces = pieces;
        this.buffers = new ByteBuffer[pieces.size()];
        int at = 0;
        for (int i = 0; i < buffers.length; i++) {
            Piece piece = pieces.get(i);
            buffers[i] = piece.material().of(Arrays.copyOfRange(content, at, at + piece.size()));
            at += piece.size();
        }
        this.starts = positions();
    }

    /** Buffers with these bytes, as many as all of them have. */
    static Pieces of(List<Piece> pieces, byte[] content) throws IOException {
        return new Pieces(pieces, content);
    }

    /** Buffers to be filled. */
    static Pieces room(List<Piece> pieces) throws IOException {
        return new Pieces(pieces, new byte[size(pieces)]);
    }

    static int size(List<Piece> pieces) {
        return pieces.stream().mapToInt(Piece::size).sum();
    }

    ByteBuffer[] buffers() {
        return buffers;
    }

    /** Whether a part of the memory is gone. */
    boolean isGone() {
        return pieces.stream().anyMatch(each -> each.material().isGone() && each.size() > 0);
    }

    /** How many bytes there are before the first that is gone. */
    int there() {
        int there = 0;
        for (Piece piece : pieces) {
            there += piece.material().there(piece.size());
            if (piece.material().there(piece.size()) < piece.size()) {
                break;
            }
        }
        return there;
    }

    private int[] positions() {
        return Arrays.stream(buffers).mapToInt(ByteBuffer::position).toArray();
    }

    /** How far the positions have moved. */
    int moved() {
        return Arrays.stream(positions()).sum() - Arrays.stream(starts).sum();
    }

    /** The bytes that the positions have moved over, and so much room behind them. */
    ByteBuffer taken(int more) {
        ByteBuffer all = ByteBuffer.allocate(moved() + more);
        for (int i = 0; i < buffers.length; i++) {
            int n = buffers[i].position() - starts[i];
            if (n > 0) {
                all.put(buffers[i].duplicate().limit(starts[i] + n).position(starts[i]));
            }
        }
        return all;
    }
}
