// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** Says what the agent does about Netty's native transports: the values of {@link Keys#NETTY}. */
public enum NettyChoice {
    /** Netty finds no native transport, and takes its NIO transport, whose channels are Accel's. */
    NIO,
    /** The program chooses as it does without Accel. */
    KEEP
}
