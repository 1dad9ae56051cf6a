// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.VerbsException;
import io.accel.core.fabric.rdma.verbs.WcFlags;
import io.accel.core.fabric.rdma.verbs.WcOpcode;
import io.accel.core.fabric.rdma.verbs.WcStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** A completion queue of no device. It cannot be overrun without an error. Any thread completes requests. */
final class FakeCompletions implements Completions {
    private record Completion(long id, int status, int word) {}

    private final int entries;
    private final int atOnce;
    private final Queue<Completion> queue = new ArrayDeque<>(); // guarded by this
    private Wanted asked = Wanted.NONE; // guarded by this
    private boolean announced; // guarded by this
    private List<Completion> taken = List.of();
    /** How many times the device was asked to announce completions. */
    int requests;
    /** The most that it has held. */
    int most;

    boolean closed;
    /** The method whose next call fails, and how; null for none. */
    private String failing;

    private Throwable failure;

    FakeCompletions(int entries, int atOnce) {
        this.entries = entries;
        this.atOnce = atOnce;
    }

    /** The next call of a method fails, and does nothing. */
    void failNext(String method, Throwable with) {
        failing = method;
        failure = with;
    }

    boolean isToFail() {
        return failing != null;
    }

    private void failIfDue(String method) {
        if (method.equals(failing)) {
            failing = null;
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        }
    }

    void data(long id, int bytes) {
        complete(new Completion(id, WcStatus.SUCCESS, Immediate.of(Immediate.DATA, bytes)), true);
    }

    void credit(long id) {
        complete(new Completion(id, WcStatus.SUCCESS, Immediate.of(Immediate.CREDIT, 0)), false);
    }

    void sent(long id) {
        complete(new Completion(id, WcStatus.SUCCESS, 0), false);
    }

    void flushed(long id) {
        complete(new Completion(id, WcStatus.WR_FLUSH_ERR, 0), true);
    }

    private synchronized void complete(Completion completion, boolean isSolicited) {
        if (queue.size() == entries) {
            throw new AssertionError("the queue of " + entries + " entries is overrun");
        }
        queue.add(completion);
        most = Math.max(most, queue.size());
        if (asked == Wanted.ALL || (asked == Wanted.SOLICITED && isSolicited)) {
            asked = Wanted.NONE;
            announced = true;
            notifyAll();
        }
    }

    /** Whether the channel can be read. */
    synchronized boolean isAnnounced() {
        return announced;
    }

    @Override
    public synchronized int take() throws VerbsException {
        failIfDue("take");
        taken = new ArrayList<>();
        while (taken.size() < atOnce && !queue.isEmpty()) {
            taken.add(queue.poll());
        }
        return taken.size();
    }

    @Override
    public int atOnce() {
        return atOnce;
    }

    @Override
    public long id(int index) {
        failIfDue("id");
        return taken.get(index).id();
    }

    @Override
    public int status(int index) {
        return taken.get(index).status();
    }

    @Override
    public int opcode(int index) {
        return RequestId.isReceive(id(index)) ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RDMA_WRITE;
    }

    @Override
    public int byteLength(int index) {
        return 0;
    }

    @Override
    public int flags(int index) {
        return WcFlags.WITH_IMM;
    }

    @Override
    public int immediate(int index) {
        failIfDue("immediate");
        return taken.get(index).word();
    }

    @Override
    public synchronized void requestNotify(boolean solicitedOnly) {
        failIfDue("requestNotify");
        requests++;
        asked = solicitedOnly && asked != Wanted.ALL ? Wanted.SOLICITED : Wanted.ALL;
    }

    @Override
    public synchronized boolean takeEvents() {
        failIfDue("takeEvents");
        boolean was = announced;
        announced = false;
        return was;
    }

    @Override
    public void close() {
        closed = true;
    }
}
