package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LinkShareTest {
    @Test
    void listenersDoNotCount() {
        assertThat(LinkShare.share("""
                        {"processes":[{"pid":1,"connections":[
                        {"id":1,"role":"listener","path":"kernel","reason":""},
                        {"id":2,"role":"client","path":"shm","reason":""},
                        {"id":3,"role":"server","path":"kernel","reason":"NO_PEER"},
                        {"id":4,"role":"server","path":"shm","reason":""},
                        {"id":5,"role":"client","path":"shm","reason":""}],"omitted":0}]}""")).isEqualTo(0.75);
    }

    @Test
    void whereThereIsNoConnectionThereIsNoShare() {
        assertThat(LinkShare.share("{\"processes\":[]}")).isNaN();
    }
}
