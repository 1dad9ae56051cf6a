// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Passes on the signals that ask a program to end, so that ending {@code accel run} ends the command.
 *
 * <p>{@code sun.misc.Signal} is the only way to see a signal in Java without ending on it. It is called by reflection
 * because javac warns about it in a way that cannot be suppressed. Where it is missing, signals keep their usual effect.
 */
final class SignalForwarder {
    private static final List<String> SIGNALS = List.of("HUP", "INT", "TERM");

    private Process child;
    private String early;

    private SignalForwarder() {}

    /** Takes the signals over. Signals that come before {@link #forwardTo} are kept for it. */
    static SignalForwarder install() {
        SignalForwarder forwarder = new SignalForwarder();
        try {
            Class<?> signalClass = Class.forName("sun.misc.Signal");
            Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    SignalForwarder.class.getClassLoader(), new Class<?>[] {handlerClass}, (proxy, method, args) -> {
                        switch (method.getName()) {
                            case "handle" ->
                                forwarder.received((String)
                                        signalClass.getMethod("getName").invoke(args[0]));
                            case "hashCode" -> {
                                return System.identityHashCode(proxy);
                            }
                            case "equals" -> {
                                return proxy == args[0];
                            }
                            default -> {}
                        }
                        return null;
                    });
            for (String name : SIGNALS) {
                signalClass
                        .getMethod("handle", signalClass, handlerClass)
                        .invoke(null, signalClass.getConstructor(String.class).newInstance(name), handler);
            }
        } catch (ReflectiveOperationException e) {
            System.err.println("accel run: signals will not reach the command: " + e);
        }
        return forwarder;
    }

    synchronized void forwardTo(Process started) {
        child = started;
        if (early != null) {
            send(early);
        }
    }

    private synchronized void received(String signal) {
        if (child == null) {
            early = signal;
        } else if (!(signal.equals("INT") && terminalHasSentItToTheChildToo())) {
            send(signal);
        }
    }

    private void send(String signal) {
        if (signal.equals("TERM")) {
            child.destroy();
            return;
        }
        try {
            new ProcessBuilder("sh", "-c", "kill -s \"$0\" \"$1\"", signal, Long.toString(child.pid()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            System.err.println("accel run: SIG" + signal + " did not reach the command, ending it instead: " + e);
            child.destroy();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ctrl-C goes to the terminal's whole foreground process group, of which the child is one. */
    private static boolean terminalHasSentItToTheChildToo() {
        return Terminal.isOfThisGroup();
    }
}
