package io.accel.nio.agent;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.util.Map;

/**
 * The change of {@code sun.nio.ch.ChannelInputStream}, of which {@code Channels.newInputStream} makes the streams of all channels
 * but the JDK's own. It reads under the channel's {@code blockingLock()}, under which {@code ChannelOutputStream} writes. Changed,
 * it reads a {@code SocketChannel} of Accel's without that lock. {@code read(ByteBuffer)}, by which all reads go, begins with
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
 * and {@code transferTo(OutputStream)}, which has the lock as long as it fills a file, with
 *
 * <pre>{@code
 * if (ch instanceof SocketChannel sc && sc.provider().getClass() == SelectorProvider.provider().getClass()) {
 *     return super.transferTo(out);
 * }
 * }</pre>
 *
 * as the JDK's own channels' stream does.
 *
 * <p>Why so:
 * <ul>
 *   <li>The classes of {@code java.base} cannot name Accel's, but they can name the default provider, which is Accel where the
 *       agent is at work. Channels of other providers stay under the lock, whether those promise to read and write at the same
 *       time or not.
 *   <li>The lock also keeps the mode as it is. Without it a channel can become non-blocking between the question and the read,
 *       which then reads nothing; the stream would take that for its end. So it asks again.
 *   <li>{@code ChannelOutputStream} stays as it is: its lock keeps the arrays of several writers whole.
 * </ul>
 */
final class ChannelInputPatch {
    private static final String CHANNEL = "java/nio/channels/ReadableByteChannel";
    private static final String SOCKET_CHANNEL = "java/nio/channels/SocketChannel";
    private static final String PROVIDER = "java/nio/channels/spi/SelectorProvider";
    private static final String GET_PROVIDER = "()L" + PROVIDER + ";";
    private static final String WRONG_MODE = "java/nio/channels/IllegalBlockingModeException";
    private static final String BUFFER = "java/nio/ByteBuffer";
    private static final String STREAM = "java/io/InputStream";
    private static final String TRANSFER_TYPE = "(Ljava/io/OutputStream;)J";

    // Instructions
    private static final int ICONST_0 = 3;
    private static final int ALOAD_0 = 42;
    private static final int ALOAD_1 = 43;
    private static final int POP = 87;
    private static final int DUP = 89;
    private static final int IFEQ = 153;
    private static final int IFNE = 154;
    private static final int IF_ACMPNE = 166;
    private static final int IRETURN = 172;
    private static final int LRETURN = 173;
    private static final int GETFIELD = 180;
    private static final int INVOKEVIRTUAL = 182;
    private static final int INVOKESPECIAL = 183;
    private static final int INVOKESTATIC = 184;
    private static final int INVOKEINTERFACE = 185;
    private static final int NEW = 187;
    private static final int ATHROW = 191;
    private static final int CHECKCAST = 192;
    private static final int INSTANCEOF = 193;

    private final ConstantPool constants;
    private final int channel;
    private final int socketChannel;

    private ChannelInputPatch(ClassFile file) throws IOException {
        this.constants = file.constants();
        this.channel = constants.addField(file.name(), "ch", "L" + CHANNEL + ";");
        this.socketChannel = constants.addClass(SOCKET_CHANNEL);
    }

    /**
     * Changes the class.
     *
     * @param original its class file
     * @return the class file that is to take its place
     * @throws IllegalArgumentException if it is not what the JDKs known have, with what is different
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
        } catch (IOException | BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("it ends too early", e);
        }
    }

    private Prologue read() throws IOException {
        int again = 32;
        int blocking = 53;
        int done = 76;
        int own = 77;
        Prologue code = unlessAccels(own)
                .mark(again)
                .add(ALOAD_0)
                .addWith(GETFIELD, channel)
                .addWith(CHECKCAST, socketChannel)
                .addWith(INVOKEVIRTUAL, constants.addMethod(SOCKET_CHANNEL, "isBlocking", "()Z"))
                .addJump(IFNE, blocking)
                .addWith(NEW, constants.addClass(WRONG_MODE))
                .add(DUP)
                .addWith(INVOKESPECIAL, constants.addMethod(WRONG_MODE, "<init>", "()V"))
                .add(ATHROW)
                .mark(blocking)
                .add(ALOAD_0)
                .addWith(GETFIELD, channel)
                .add(ALOAD_1)
                .addWith(INVOKEINTERFACE, constants.addInterfaceMethod(CHANNEL, "read", "(L" + BUFFER + ";)I"))
                .add(2, 0) // words of arguments, and a zero
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

    private Prologue transferTo() throws IOException {
        int own = 38;
        return unlessAccels(own)
                .add(ALOAD_0, ALOAD_1)
                .addWith(INVOKESPECIAL, constants.addMethod(STREAM, "transferTo", TRANSFER_TYPE))
                .add(LRETURN)
                .mark(own);
    }

    /** Goes to {@code other} if the channel is no socket channel of the default provider's kind. */
    private Prologue unlessAccels(int other) throws IOException {
        int getClass = constants.addMethod("java/lang/Object", "getClass", "()Ljava/lang/Class;");
        return new Prologue()
                .add(ALOAD_0)
                .addWith(GETFIELD, channel)
                .addWith(INSTANCEOF, socketChannel)
                .addJump(IFEQ, other)
                .add(ALOAD_0)
                .addWith(GETFIELD, channel)
                .addWith(CHECKCAST, socketChannel)
                .addWith(INVOKEVIRTUAL, constants.addMethod(SOCKET_CHANNEL, "provider", GET_PROVIDER))
                .addWith(INVOKEVIRTUAL, getClass)
                .addWith(INVOKESTATIC, constants.addMethod(PROVIDER, "provider", GET_PROVIDER))
                .addWith(INVOKEVIRTUAL, getClass)
                .addJump(IF_ACMPNE, other);
    }
}
