// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.net.ServerSocket;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Arrays;

/**
 * Remote method invocation as the JDK has it. {@code server} says {@code PORTS registry object}; {@code client PORT} calls it
 * for each line of its standard input and answers {@code OK} with the line.
 */
public final class RemoteCalls {
    private static final String NAME = "object";

    private RemoteCalls() {}

    /** The object at either end. */
    private static final class Answering implements RemoteObject {
        @Override
        public byte[] reversed(byte[] bytes) {
            byte[] reversed = new byte[bytes.length];
            for (int i = 0; i < bytes.length; i++) {
                reversed[i] = bytes[bytes.length - 1 - i];
            }
            return reversed;
        }

        @Override
        public long callBack(RemoteObject client, int from) throws RemoteException {
            return from == 0 ? 0 : 1 + client.callBack(this, from - 1);
        }

        @Override
        public void fail(String message) {
            throw new IllegalStateException(message);
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("java.rmi.server.hostname", "127.0.0.1");
        Console console = new Console();
        if (args[0].equals("server")) {
            serve(console);
        } else {
            call(console, Integer.parseInt(args[1]));
        }
    }

    private static void serve(Console console) throws Exception {
        int registryPort = freePort();
        int objectPort = freePort();
        Registry registry = LocateRegistry.createRegistry(registryPort);
        Answering object = new Answering();
        registry.rebind(NAME, UnicastRemoteObject.exportObject(object, objectPort));
        console.say("PORTS " + registryPort + " " + objectPort);
        console.await("END");
        UnicastRemoteObject.unexportObject(object, true);
        UnicastRemoteObject.unexportObject(registry, true);
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void call(Console console, int registryPort) throws Exception {
        RemoteObject server = (RemoteObject)
                LocateRegistry.getRegistry("127.0.0.1", registryPort).lookup(NAME);
        Answering own = new Answering();
        RemoteObject exported = (RemoteObject) UnicastRemoteObject.exportObject(own, 0);
        while (true) {
            String line = console.next();
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "REVERSE" -> reverse(server, Integer.parseInt(words[1]));
                case "BACK" -> check(server.callBack(exported, Integer.parseInt(words[1])), words[1]);
                case "FAIL" -> fail(server, words[1]);
                default -> throw new IllegalArgumentException(line);
            }
            console.say("OK " + line);
        }
    }

    private static void reverse(RemoteObject server, int length) throws RemoteException {
        byte[] bytes = new byte[length];
        Pattern.at(0, length).get(bytes);
        if (!Arrays.equals(bytes, new Answering().reversed(server.reversed(bytes)))) {
            throw new IllegalStateException("what came back is not what was sent in reverse");
        }
    }

    private static void fail(RemoteObject server, String message) throws RemoteException {
        try {
            server.fail(message);
            throw new AssertionError("the call that fails did not fail");
        } catch (IllegalStateException expected) {
            check(expected.getMessage(), message);
        }
    }

    private static void check(Object seen, Object wanted) {
        if (!seen.toString().equals(wanted.toString())) {
            throw new IllegalStateException(seen + " is not " + wanted);
        }
    }
}
