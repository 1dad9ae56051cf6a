package io.accel.core.poll;

import java.util.Arrays;

/** The registrations that a poller looks at in every turn. Owned by who has the turn. */
final class HotSet {
    private Registration[] members = new Registration[16];
    private int size;
    /** Where the slow walk that looks for idle members has come to. */
    private int walk;

    int size() {
        return size;
    }

    Registration get(int i) {
        return members[i];
    }

    /** Takes a registration in; false if it was there. */
    boolean add(Registration registration) {
        if (registration.hotIndex >= 0) {
            return false;
        }
        if (size == members.length) {
            members = Arrays.copyOf(members, size * 2);
        }
        registration.hotIndex = size;
        registration.idleSince = 0;
        members[size++] = registration;
        return true;
    }

    void remove(Registration registration) {
        int at = registration.hotIndex;
        if (at >= 0) {
            Registration last = members[--size];
            members[at] = last;
            last.hotIndex = at;
            members[size] = null;
            registration.hotIndex = -1;
        }
    }

    /** The next member of a walk around the set; null if it is empty. */
    Registration walk() {
        if (size == 0) {
            return null;
        }
        if (++walk >= size) {
            walk = 0;
        }
        return members[walk];
    }
}
