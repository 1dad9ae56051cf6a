// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;

/** A thread of a client that is measured from the start of its JVM on. */
abstract class YoungClient implements Runnable {
    private final FirstSeconds done;

    YoungClient(YoungStart start) {
        done = start.newCounter();
    }

    /** Opens what all steps share, in the client's thread. */
    void open() throws IOException {}

    /**
     * Waits until operations end.
     *
     * @return how many
     */
    abstract int step() throws IOException, InterruptedException;

    @Override
    public final void run() {
        try {
            open();
            int ended;
            do {
                ended = step();
            } while (done.count(ended));
        } catch (IOException | InterruptedException | RuntimeException e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    /** Runs each in a thread until the last moment, and reports; does not return. */
    static void runAll(YoungStart start, YoungClient... clients) throws IOException, InterruptedException {
        Thread[] threads = new Thread[clients.length];
        for (int i = 0; i < clients.length; i++) {
            threads[i] = new Thread(clients[i]);
            threads[i].setDaemon(true);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        start.report();
    }
}
