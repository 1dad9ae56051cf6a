// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.capture.CapturedFile;
import io.accel.core.observe.CaptureRequest;
import io.accel.core.observe.CaptureSource;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A capture of this process under way, since it was made. */
final class Recording implements CaptureSource.Sink {
    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final FutureTask<CaptureSource.Totals> task;
    private volatile int bytes;
    private volatile boolean wanted = true;

    Recording(CaptureRequest request) {
        task = Streams.start(() -> Captures.get().capture(request, "test", this));
        await().until(() -> bytes > 0 || task.isDone());
    }

    /** A recording of everything with this port, without a limit. */
    static Recording of(int port) {
        return new Recording(new CaptureRequest(Set.of(port), 0, 0));
    }

    @Override
    public void take(ByteBuffer part) {
        byte[] bytesOfPart = new byte[part.remaining()];
        part.get(bytesOfPart);
        file.writeBytes(bytesOfPart);
        bytes = file.size();
    }

    @Override
    public boolean isWanted() {
        return wanted;
    }

    /** The length of the file so far. */
    int bytes() {
        return bytes;
    }

    CapturedFile end() throws Exception {
        wanted = false;
        return result();
    }

    CapturedFile result() throws Exception {
        CaptureSource.Totals totals = task.get(20, TimeUnit.SECONDS);
        CapturedFile captured = new CapturedFile(ByteBuffer.wrap(file.toByteArray()));
        assertThat(captured.packets()).isEqualTo((int) totals.kept());
        assertThat(captured.dropped()).isEqualTo(totals.dropped());
        assertThat(captured.received()).isEqualTo(totals.kept() + totals.dropped());
        return captured;
    }
}
