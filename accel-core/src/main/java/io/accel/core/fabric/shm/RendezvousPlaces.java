// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.FallbackException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The places in {@code shm.dir} where listeners have their rendezvous: a directory for each user, {@code accel-UID}, in which that user alone
 * can make others, and one for each group that listeners are open to, {@code accel-gGID}. So a search lists what its own user and
 * group have put there, however much others put into {@code shm.dir}.
 *
 * <p>A name may be taken: by another user on purpose, or since users of several namespaces have the same number. Then the
 * next name is used, of {@value #NAMES}. A place that belongs to somebody else is nobody's to use. Stateless.
 */
final class RendezvousPlaces {
    /** How many names each place may have. */
    private static final int NAMES = 8;

    private static final String GROUP = "g";
    /** Everybody may list it, to learn that a listener is another user's. */
    private static final int PRIVATE_MODE = 0755;

    private static final String PRIVATE = "rwxr-xr-x";
    private static final int SHARED_MODE = 01775;
    /** A place that is empty may be removed while a listener is about to use it. */
    private static final int ATTEMPTS = 100;
    /** How many names of others are looked at, and in how many of their places. */
    private static final int MOST_OTHERS = 1_000;

    private static final int MOST_OTHERS_PLACES = 32;
    private static final Pattern PLACE = Pattern.compile("accel-g?[0-9]{1,10}(\\.[0-9])?");

    private RendezvousPlaces() {}

    /**
     * Makes the directory of a rendezvous in the place of this user, or of the group.
     *
     * @param name the directory's name
     * @return the directory
     */
    static Path make(ShmConfig config, String name) throws FallbackException {
        if (!config.group().isEmpty()) {
            long unused = GroupNumber.of(config.group(), GroupNumber.PATIENCE_MILLIS); // its place is named by it
        }
        try {
            for (int i = 1; i < ATTEMPTS; i++) {
                try {
                    return makeOnce(config, name);
                } catch (NoSuchFileException e) {
                    Thread.onSpinWait(); // the last rendezvous of another process has just gone, and its place with it
                }
            }
            return makeOnce(config, name);
        } catch (IOException e) {
            throw RendezvousDirectory.failed(config.dir().resolve(name), e);
        }
    }

    private static Path makeOnce(ShmConfig config, String name) throws IOException {
        Path directory = place(config).resolve(name);
        RendezvousDirectory.make(directory, config.group());
        return directory;
    }

    /** Removes the directory of a rendezvous, and the place with the last. */
    static void remove(Path directory) throws IOException {
        RendezvousDirectory.delete(directory);
        try {
            Files.deleteIfExists(directory.getParent());
        } catch (FileSystemException e) {
            Log.of(RendezvousPlaces.class)
                    .get()
                    .log(Level.TRACE, "the place of {0} has others, or is another member''s", directory);
        }
    }

    /** The place for a new rendezvous, which is made if there is none. */
    private static Path place(ShmConfig config) throws IOException {
        for (int i = 0; i < NAMES; i++) {
            Path place = config.dir().resolve(name(config.group(), i));
            if (isUsable(place, config.group()) || isMade(place, config.group())) {
                return place;
            }
        }
        throw new FallbackException(
                FallbackReason.SHM_DIR,
                config.dir().resolve(name(config.group(), 0))
                        + " and the names that could replace it are taken: remove them"
                        + ", or set shm.dir to a directory that other users cannot write");
    }

    private static boolean isMade(Path place, String group) throws IOException {
        try {
            Files.createDirectory(
                    place, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PRIVATE)));
        } catch (FileAlreadyExistsException e) {
            return isUsable(place, group);
        }
        if (group.isEmpty()) {
            Files.setAttribute(place, "unix:mode", PRIVATE_MODE); // whatever the process's umask
        } else {
            try {
                RendezvousDirectory.share(place, group, SHARED_MODE);
            } catch (IOException e) {
                Files.deleteIfExists(place);
                throw e;
            }
        }
        return true;
    }

    private static String name(String group, int number) throws FallbackException {
        String whose = group.isEmpty() ? Long.toString(Ownership.self()) : GROUP + GroupNumber.of(group, 0);
        return RendezvousPath.PREFIX + whose + (number == 0 ? "" : "." + number);
    }

    /** Whether nobody but this user, or members of the group, can make anything there. */
    private static boolean isUsable(Path place, String group) throws IOException {
        Ownership owned;
        try {
            owned = Ownership.of(place);
        } catch (NoSuchFileException e) {
            return false;
        }
        if (!owned.isDirectory()) {
            return false;
        }
        return group.isEmpty()
                ? owned.isOwn() && owned.isForOwnerAloneToWrite()
                : owned.group() == GroupNumber.of(group, 0) && owned.isShared();
    }

    /** The places that this process may trust: those of its user, and of the group. */
    static List<Path> own(ShmConfig config) throws IOException {
        List<Path> places = new ArrayList<>();
        addUsable(places, config.dir(), "");
        if (isGroupKnown(config.group())) {
            addUsable(places, config.dir(), config.group());
        }
        if (places.isEmpty() && !Files.isDirectory(config.dir())) {
            throw new NotDirectoryException(config.dir().toString());
        }
        return places;
    }

    /** Without the group's number, clients find only their own user's listeners. */
    private static boolean isGroupKnown(String group) {
        try {
            return !group.isEmpty() && GroupNumber.of(group, 0) >= 0;
        } catch (FallbackException e) {
            return false;
        }
    }

    private static void addUsable(List<Path> places, Path dir, String group) throws IOException {
        for (int i = 0; i < NAMES; i++) {
            Path place = dir.resolve(name(group, i));
            if (isUsable(place, group)) {
                places.add(place);
            }
        }
    }

    /** Lists every directory that may be a listener's, in whatever namespace, in the places that this process may trust. */
    static List<Path> all(ShmConfig config) throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path place : own(config)) {
            addAll(all, place);
        }
        return all;
    }

    private static void addAll(List<Path> all, Path place) throws IOException {
        try {
            all.addAll(RendezvousPath.all(place));
        } catch (NoSuchFileException e) {
            Log.of(RendezvousPlaces.class).get().log(Level.TRACE, "the last listener in {0} has just closed", place);
        }
    }

    /**
     * Lists some of the directories that other users have, so that a client can tell why it is not accelerated. However many there are,
     * this looks at a thousand names in their places at most, and as many in the directory.
     */
    static List<Path> others(Path dir) {
        return some(dir, MOST_OTHERS).stream()
                .filter(RendezvousPlaces::isPlace)
                .limit(MOST_OTHERS_PLACES)
                .flatMap(place -> some(place, MOST_OTHERS / MOST_OTHERS_PLACES).stream())
                .toList();
    }

    /** Lists the directories of all users, as far as this process may list them, however many there are. */
    static List<Path> everybodys(Path dir) throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path place : RendezvousPath.all(dir)) {
            if (isPlace(place)) {
                all.addAll(some(place, Integer.MAX_VALUE));
            }
        }
        return all;
    }

    /** Whether this is the name of a place. */
    static boolean isPlace(Path directory) {
        return PLACE.matcher(directory.getFileName().toString()).matches();
    }

    private static List<Path> some(Path dir, int most) {
        List<Path> some = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(dir)) {
            for (Path each : found) {
                some.add(each);
                if (some.size() == most) {
                    break;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            return some; // it has just gone, or may not be listed: nobody that this process may ask is there
        }
        return some;
    }
}
