// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a hot set counts of its members. */
class HotSetTest {
    private final HotSet hot = new HotSet(() -> new PollConfig(0, 1, 4, 0, PollConfig.Yielding.NEVER));
    private final List<FakeLink> links = new ArrayList<>();

    @AfterEach
    void closeLinks() throws Exception {
        for (FakeLink link : links) {
            link.close();
        }
    }

    private Registration registration(boolean isRemote) throws Exception {
        FakeLink link = new FakeLink();
        link.remote = isRemote;
        links.add(link);
        return new Registration(null, link, SelectionKey.OP_READ, null);
    }

    @Test
    void countsTheMembersThatWaitForOtherHosts() throws Exception {
        Registration near = registration(false);
        Registration far = registration(true);
        hot.add(near);
        assertThat(hot.remote()).isZero();
        hot.add(far);
        assertThat(hot.remote()).isOne();
        hot.rest(far);
        hot.remove(near);
        assertThat(hot.remote()).isOne();
        hot.remove(far);
        hot.remove(far);
        assertThat(hot.remote()).isZero();
    }

    /** A connection may go from one path to another while it is a member. */
    @Test
    void aMemberThatHasMovedIsCountedAsItWasWhenItBecameOne() throws Exception {
        Registration moving = registration(true);
        hot.add(moving);
        links.get(0).remote = false;
        hot.remove(moving);
        assertThat(hot.remote()).isZero();
        hot.add(moving);
        assertThat(hot.remote()).isZero();
    }
}
