// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** The remote object of {@link RemoteCalls}' server. */
interface RemoteObject extends Remote {
    /** The bytes in reverse order. */
    byte[] reversed(byte[] bytes) throws RemoteException;

    /** Counts down by calling the client back, {@code from} times, and returns what the calls returned, added up. */
    long callBack(RemoteObject client, int from) throws RemoteException;

    /** Always fails. */
    void fail(String message) throws RemoteException;
}
