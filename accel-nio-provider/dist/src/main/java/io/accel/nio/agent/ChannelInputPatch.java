// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.agent;

import static io.accel.nio.agent.Opcodes.ALOAD_0;
import static io.accel.nio.agent.Opcodes.ALOAD_1;
import static io.accel.nio.agent.Opcodes.ATHROW;
import static io.accel.nio.agent.Opcodes.DUP;
import static io.accel.nio.agent.Opcodes.GETFIELD;
import static io.accel.nio.agent.Opcodes.ICONST_0;
import static io.accel.nio.agent.Opcodes.IFNE;
import static io.accel.nio.agent.Opcodes.INVOKEINTERFACE;
import static io.accel.nio.agent.Opcodes.INVOKESPECIAL;
import static io.accel.nio.agent.Opcodes.INVOKEVIRTUAL;
import static io.accel.nio.agent.Opcodes.IRETURN;
import static io.accel.nio.agent.Opcodes.LRETURN;
import static io.accel.nio.agent.Opcodes.NEW;
import static io.accel.nio.agent.Opcodes.POP;

import java.nio.BufferUnderflowException;
import java.util.Map;

/**
 * The change of {@code sun.nio.ch.ChannelInputStream}, the stream that {@code Channels.newInputStream} makes for all channels but the
 * JDK's own. It reads under the channel's {@code blockingLock()}, under which {@code ChannelOutputStream} writes. After the change it
 * reads a {@code SocketChannel} of Accel's without that lock. {@code read(ByteBuffer)}, through which all reads go, begins with
 *
 * <pre>{@code
 * if (ch instanceof SocketChannel sc && sc.provider().getClass() == SelectorProvider.provider().getClass()) {
 *     int n;
 *     do {
 *         if (!sc.isBlocking()) throw new IllegalBlockingModeException();
 *     } while ((n = ch.read(bb)) == 0 && bb.hasRemaining());
 *     return n;
 * }
 * }</pre>
 *
 * and {@code transferTo(OutputStream)}, which holds the lock as long as it fills a file, begins with
 *
 * <pre>{@code
 * if (ch instanceof SocketChannel sc && sc.provider().getClass() == SelectorProvider.provider().getClass()) {
 *     return super.transferTo(out);
 * }
 * }</pre>
 *
 * as the stream of the JDK's own channels does.
 *
 * <p>The reasons:
 * <ul>
 *   <li>The classes of {@code java.base} cannot name Accel's, but they can name the default provider, which is Accel's under the
 *       agent. Channels of other providers stay under the lock, whether those promise to read and write at the same time or not.
 *   <li>The lock also keeps the mode as it is. Without it a channel can become non-blocking between the check and the read,
 *       which then reads nothing, and the stream would take that for its end. So it checks again.
 *   <li>{@code ChannelOutputStream} stays as it is: its lock keeps the arrays of several writers whole.
 * </ul>
 */
final class ChannelInputPatch {
    private static final String CHANNEL = "java/nio/channels/ReadableByteChannel";
    private static final String WRONG_MODE = "java/nio/channels/IllegalBlockingModeException";
    private static final String BUFFER = "java/nio/ByteBuffer";
    private static final String STREAM = "java/io/InputStream";
    private static final String TRANSFER_TYPE = "(Ljava/io/OutputStream;)J";

    private final ConstantPool constants;
    private final AccelChannel channel;
    /** The stream's field for the channel. */
    private final int field;

    private ChannelInputPatch(ClassFile file) {
        this.constants = file.constants();
        this.field = constants.addField(file.name(), "ch", "L" + CHANNEL + ";");
        this.channel = AccelChannel.inField(constants, field);
    }

    /**
     * Changes the class.
     *
     * @param original the original class file
     * @return the changed class file
     * @throws IllegalArgumentException if the class differs from the class in the known JDKs; the message says how
     */
    static byte[] apply(byte[] original) {
        try {
            ClassFile file = new ClassFile(original);
            if (!file.hasField("ch", "L" + CHANNEL + ";") || !file.superName().equals(STREAM)) {
                throw new IllegalArgumentException("it has no field ch, or is no InputStream of its own");
            }
            ChannelInputPatch patch = new ChannelInputPatch(file);
            return file.with(Map.of(
                    "read(L" + BUFFER + ";)I", patch.read(),
                    "transferTo" + TRANSFER_TYPE, patch.transferTo()));
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("it ends too early", e);
        }
    }

    private Prologue read() {
        int again = 32;
        int blocking = 53;
        int done = 76;
        int own = 77;
        Prologue code = channel.load(channel.unless(own).mark(again))
                .addWith(INVOKEVIRTUAL, channel.method("isBlocking", "()Z"))
                .addJump(IFNE, blocking)
                .addWith(NEW, constants.addClass(WRONG_MODE))
                .add(DUP)
                .addWith(INVOKESPECIAL, constants.addMethod(WRONG_MODE, "<init>", "()V"))
                .add(ATHROW)
                .mark(blocking);
        load(code)
                .add(ALOAD_1)
                .addWith(INVOKEINTERFACE, constants.addInterfaceMethod(CHANNEL, "read", "(L" + BUFFER + ";)I"))
                .add(2, 0) // the words of arguments, and a zero
                .add(DUP)
                .addJump(IFNE, done)
                .add(POP)
                .add(ALOAD_1)
                .addWith(INVOKEVIRTUAL, constants.addMethod(BUFFER, "hasRemaining", "()Z"))
                .addJump(IFNE, again)
                .add(ICONST_0)
                .markWithInt(done)
                .add(IRETURN);
        return code.mark(own);
    }

    private Prologue transferTo() {
        int own = 38;
        return channel.unless(own)
                .add(ALOAD_0, ALOAD_1)
                .addWith(INVOKESPECIAL, constants.addMethod(STREAM, "transferTo", TRANSFER_TYPE))
                .add(LRETURN)
                .mark(own);
    }

    private Prologue load(Prologue code) {
        return code.add(ALOAD_0).addWith(GETFIELD, field);
    }
}
