// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.PortSpace;
import io.accel.testing.DirectoryContent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharedDirectoryTest {
    private Path dir;

    @BeforeEach
    void create() throws Exception {
        dir = Files.createTempDirectory(Path.of("/dev/shm"), "accel-shared-directory-");
    }

    @AfterEach
    void remove() throws Exception {
        DirectoryContent.remove(dir);
    }

    @Test
    void aDirectoryOfOnesOwnInMemoryIsAsItShouldBe() throws Exception {
        assertThat(SharedDirectory.mistakes(dir)).isEmpty();
    }

    @Test
    void everybodysDirectoryNeedsTheStickyBit() throws Exception {
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(SharedDirectory.mistakes(dir))
                .singleElement()
                .asString()
                .startsWith(dir + " (shm.dir) can be written by everybody")
                .endsWith("chmod +t " + dir);
        Files.setAttribute(dir, "unix:mode", 01777);
        assertThat(SharedDirectory.mistakes(dir)).isEmpty();
    }

    @Test
    void aDiskIsNamed() {
        assertThat(SharedDirectory.mistakes(dir, "ext4", false, false))
                .singleElement()
                .asString()
                .contains(" is on ext4,", "set shm.dir to a directory on a tmpfs");
    }

    @Test
    void whoUsesItIsSeenByTheRendezvous() throws Exception {
        assertThat(SharedDirectory.users(dir)).isEqualTo("no listener has a place there");
        InetSocketAddress bound = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9092);
        ShmConfig config = new ShmConfig(dir, "", 1, 1);
        Path unused = RendezvousPlaces.make(config, RendezvousPath.name(Namespace.OWN, PortSpace.TCP, bound));
        String user = System.getProperty("user.name");
        assertThat(SharedDirectory.users(dir))
                .isEqualTo("1 listener of " + user + " 1, in 1 network namespace, this one among them");
        Namespace other = new Namespace("zzzzz", address -> false);
        unused = RendezvousPlaces.make(config, RendezvousPath.name(other, PortSpace.UDP, bound));
        Files.createDirectory(dir.resolve("accel-stats-1-a"));
        assertThat(SharedDirectory.users(dir))
                .isEqualTo("2 listeners of " + user + " 2, in 2 network namespaces, this one among them");
    }
}
