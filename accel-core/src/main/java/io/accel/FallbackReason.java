// SPDX-License-Identifier: Apache-2.0
package io.accel;

/**
 * The reasons why a connection takes the kernel's path. The log, the metrics and the tools show the names. A listener answers
 * with the codes in a handshake, so they never change their meaning.
 */
public enum FallbackReason {
    /** The peer does not run Accel, or not with this fabric: nothing answers beside its kernel port. */
    PEER_NOT_ACCELERATED(1, false, "the peer does not run Accel"),
    /** A transport rule says kernel. */
    RULE(2, false, "a transport rule says kernel"),
    /** The destination is not on this host, and no other fabric reaches it. */
    NOT_LOCAL(3, false, "the peer is on another host"),
    /** The peer's rendezvous is there but nothing answers: a dead process left it behind. */
    STALE_RENDEZVOUS(4, false, "the peer's rendezvous was left behind by a dead process"),
    /** The peer speaks another version of the protocol. */
    VERSION_MISMATCH(5, true, "the peer runs another version of Accel; run the same on both ends"),
    /** The peer belongs to another user. */
    OTHER_USER(6, true, "the peer belongs to another user; run both as one user, or set shm.group on both"),
    /** There is no room for the rings. */
    SHM_FULL(7, true, "no room for the rings in shm.dir; make it larger, or ring.initial smaller"),
    /** The shared directory cannot be used: it is missing, not permitted, or not on a suitable file system. */
    SHM_DIR(8, true, "shm.dir cannot be used"),
    /** The peer did not answer within {@code connect.probe-timeout}. */
    TIMEOUT(9, true, "the peer did not answer within connect.probe-timeout"),
    /** More clients wait for the listener's answer than it keeps. */
    BACKLOG_FULL(10, true, "too many clients wait until the listener's program accepts them; accept faster"),
    /** The peer answered, or sent, something that Accel never sends. */
    BAD_HANDSHAKE(11, true, "the peer's handshake is not Accel's"),
    /** This process is out of file descriptors, threads or another resource. */
    NO_RESOURCES(12, true, "this process is short of a resource, such as file descriptors"),
    /** No device of the fabric leads to the peer. */
    NO_DEVICE(13, false, "no device leads to the peer"),
    /** {@code RLIMIT_MEMLOCK} is too low to register the rings. */
    MEMLOCK(14, true, "RLIMIT_MEMLOCK is too small to register memory"),
    /** Another process has the fabric's port of the same address (SO_REUSEPORT). */
    RENDEZVOUS_TAKEN(15, true, "another process has the RDMA port of this address and port"),
    /** This process may not open the RDMA device's files. */
    NO_PERMISSION(16, true, "no permission on the files in /dev/infiniband; see who may open them"),
    /** There is an RDMA device, but not the libraries to use it. */
    NO_LIBRARY(17, true, "there is an RDMA device, but not librdmacm and libibverbs; install rdma-core"),
    /** This Java run-time image, or the peer's, lacks a module; each says so once in its own log. */
    NO_MODULE(
            18,
            false,
            "a Java run-time image lacks a module that Accel needs; make it with jlink --add-modules jdk.net"),
    /** The security manager does not let Accel's own code do what the fabric needs. */
    NO_RIGHT(
            19,
            true,
            "the security manager denies Accel the rights for this; grant its code java.security.AllPermission"),
    /** The connection has not carried enough to be worth a faster path. */
    TOO_LITTLE(20, false, "it has not carried enough so far to be worth a faster path (handover.after)"),
    /** The connections of this process, or of the peer's, hold {@code shm.max} already. */
    SHM_CAP(21, true, "the connections of this process, or of the peer's, hold shm.max of shared memory already"),
    /** The link of the connection has broken: its device went away, or could not reach the peer's. */
    LINK_LOST(
            22, true, "its RDMA link broke, and it went on without loss; check the device and the network to the peer"),
    /**
     * Nothing went over the connection's faster path for {@code handover.idle}, or for a second while others had no
     * room for theirs.
     */
    IDLE(
            23,
            false,
            "it was idle for handover.idle, or while others had no room, and gave its memory back; it moves again when it"
                    + " carries enough"),
    /**
     * The peer's listener, in another network namespace, does not know the connection yet, or no bytes have come over it yet; or
     * the listener cannot tell yet which of its Unix-domain connections this is; or the peer ended the connection when it was about to move.
     */
    NOT_YET(
            24,
            false,
            "the peer, in another network namespace or on a Unix-domain socket, has not accepted it, or it has carried too little"
                    + " to tell which connection it is; or the peer's process is young and has no processor to spare; it is asked again"),
    /** The connection is on its way from one link to another with larger rings. */
    GROWING(25, false, "it is moving to larger rings, which takes some milliseconds"),
    /**
     * One end has sent other bytes than its peer, in another network namespace, has received: there are two
     * connections.
     */
    PROXIED(26, true, "a proxy between the network namespaces changes the bytes; connect to the server itself"),
    /** A program has given a channel that it connected through the JDK's own provider to an adapter of Accel's. */
    FOREIGN_CHANNEL(
            27,
            true,
            "the program connected the channel without Accel, so nobody knows how much it has carried; let Accel open it"),
    /**
     * The TCP connection has ended beneath the connection's faster path: it was killed, reset from outside, or keep-alive found its peer
     * unreachable.
     */
    CONNECTION_ENDED(
            28,
            false,
            "its TCP connection was ended from outside, by ss -K, a reset, a rule, or keep-alive, and with it the connection"),
    /** The process that offers a link has not shown that it has the other end of the connection. */
    UNPROVED(
            29,
            true,
            "the two ends of the RDMA handshake do not know the same connection; find out who uses rdma_cm with the peer's address and port, and whether a proxy is between"),
    /** The connection was slower over the faster path than through the kernel. */
    NOT_FASTER(
            30,
            false,
            "it was slower over the faster path than through the kernel, as happens where processors are few; it tries again later, and less and less often");

    private final int code;
    private final boolean remarkable;
    private final String sentence;

    FallbackReason(int code, boolean remarkable, String sentence) {
        this.code = code;
        this.remarkable = remarkable;
        this.sentence = sentence;
    }

    /** The number that stands for it in a handshake. */
    public int code() {
        return code;
    }

    /** Whether an operator should be told: acceleration was possible and something can be done. */
    public boolean remarkable() {
        return remarkable;
    }

    /**
     * Whether the operator of the program can do something about it, such as install, permit or enlarge something. A peer without
     * Accel is not such a reason, nor is a state that is configured or passes by itself.
     */
    public boolean actionable() {
        return remarkable || this == NO_MODULE; // NO_MODULE logs a line of its own
    }

    /** Whether the reason ends as soon as another connection gives a link back. */
    public boolean isWantOfRoom() {
        return this == SHM_FULL || this == SHM_CAP || this == NO_RESOURCES || this == MEMLOCK;
    }

    /** The event and its remedy, without a full stop. */
    public String sentence() {
        return sentence;
    }

    /**
     * Returns the reason that a code stands for.
     *
     * @param code the code that a peer sent
     * @return {@link #BAD_HANDSHAKE} if the code stands for none
     */
    public static FallbackReason ofCode(int code) {
        for (FallbackReason reason : values()) {
            if (reason.code == code) {
                return reason;
            }
        }
        return BAD_HANDSHAKE;
    }
}
