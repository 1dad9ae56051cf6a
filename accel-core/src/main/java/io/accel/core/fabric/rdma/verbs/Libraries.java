// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import io.accel.core.fabric.rdma.verbs.VerbsUnavailableException.Reason;
import java.util.concurrent.Callable;

/** The two libraries, loaded once, or the reason why they are not. */
final class Libraries {
    private static final Libraries LOADED = new Libraries();

    /** Newly opened objects call these; this is {@link #LOADED}, except in tests. */
    private static volatile Libraries current = LOADED;

    private final LibIbVerbs.Functions ibv;

    private final LibRdmaCm.Functions cm;

    private final VerbsUnavailableException cause;

    private Libraries() {
        LibIbVerbs.Functions verbs = null;
        LibRdmaCm.Functions manager = null;
        VerbsUnavailableException failure = null;
        try {
            ensureNativeCalls();
            verbs = load(LibIbVerbs.FILE, LibIbVerbs::load);
            manager = load(LibRdmaCm.FILE, LibRdmaCm::load);
            makeForksSafe(verbs);
        } catch (VerbsUnavailableException e) {
            failure = e;
        }
        ibv = verbs;
        cm = manager;
        cause = failure;
    }

    private Libraries(LibIbVerbs.Functions ibv, LibRdmaCm.Functions cm) {
        this.ibv = ibv;
        this.cm = cm;
        this.cause = null;
    }

    /** Sees every call before its library does, so that a test can let it fail. */
    interface Interposer {
        <T> T between(Class<T> functions, T library);
    }

    /** For tests: objects opened from now on call through the interposer, until {@link #interposeNothing}. */
    static void interpose(Interposer interposer) throws VerbsUnavailableException {
        ensureLoaded();
        current = new Libraries(
                interposer.between(LibIbVerbs.Functions.class, LOADED.ibv),
                interposer.between(LibRdmaCm.Functions.class, LOADED.cm));
        LibC.use(interposer.between(LibC.Functions.class, LibC.C));
        Context.forgetShared();
    }

    static void interposeNothing() {
        current = LOADED;
        LibC.use(LibC.C);
        Context.forgetShared();
    }

    static void ensureLoaded() throws VerbsUnavailableException {
        if (LOADED.cause != null) {
            // Each call throws a new exception: its stack is the caller's.
            throw new VerbsUnavailableException(LOADED.cause.reason(), LOADED.cause.getMessage(), LOADED.cause);
        }
    }

    static LibIbVerbs.Functions ibv() throws VerbsUnavailableException {
        ensureLoaded();
        return current.ibv;
    }

    static LibRdmaCm.Functions cm() throws VerbsUnavailableException {
        ensureLoaded();
        return current.cm;
    }

    /** Checks first that jnr-ffi is there: otherwise its absence would look like missing libraries. */
    private static void ensureNativeCalls() throws VerbsUnavailableException {
        try {
            int unused = LibC.C.fcntl(0, LibC.F_GETFL, 0);
        } catch (LinkageError | RuntimeException e) {
            throw new VerbsUnavailableException(
                    Reason.NO_LIBRARY,
                    "jnr-ffi, which calls librdmacm and libibverbs, cannot be loaded: " + e
                            + "; it belongs on the class path, with all that it needs, or use accel.jar, which has it",
                    e);
        }
    }

    static <T> T load(String file, Callable<T> loader) throws VerbsUnavailableException {
        try {
            return loader.call();
        } catch (LinkageError | Exception e) {
            throw new VerbsUnavailableException(
                    Reason.NO_LIBRARY,
                    // The message's other lines are a list of directories.
                    file + " cannot be loaded: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse("")
                            + "; it comes with rdma-core (packages librdmacm1 and ibverbs-providers, or librdmacm)",
                    e);
        }
    }

    /**
     * After a fork the kernel gives parent and child copies of a page when either writes it, and the device keeps the
     * one that may have become the child's. Kernels from 5.12 copy for the child at once, and libibverbs says so: then
     * the call below would only split the process's mappings for nothing. A JVM's own child processes come about
     * without copying pages; this is for native code in the process that forks by itself.
     */
    private static void makeForksSafe(LibIbVerbs.Functions verbs) throws VerbsUnavailableException {
        if (!isForkSupportNeeded(verbs)) {
            return;
        }
        int error = verbs.ibv_fork_init();
        if (error != 0) {
            VerbsException e = VerbsException.of("ibv_fork_init", "this kernel needs it", error);
            throw new VerbsUnavailableException(Reason.NO_LIBRARY, e.getMessage(), e);
        }
    }

    private static boolean isForkSupportNeeded(LibIbVerbs.Functions verbs) {
        try {
            return verbs.ibv_is_fork_initialized() == LibIbVerbs.IBV_FORK_DISABLED;
        } catch (UnsatisfiedLinkError e) {
            // libibverbs before 35 has no such function: it cannot know that the kernel needs no help.
            return true;
        }
    }
}
