// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks the bond, if there is one, beneath a network interface of an RDMA device. The kernel's bonding driver decides by which of its
 * links a bond sends; Accel sees the bond's interface alone.
 */
final class BondChecks {
    private static final String INTERFACES = "sys/class/net/";
    private static final String LOWER = "lower_";

    private final SystemFiles files;

    BondChecks(SystemFiles files) {
        this.files = files;
    }

    /**
     * Reports the bond.
     *
     * @param networkInterface an interface, which may be a bond, or a VLAN on one
     * @param of the device and the port that have the interface, for people to read
     * @return one finding for each bond, or none
     */
    List<Finding> check(String networkInterface, String of) throws IOException {
        if (files.exists(INTERFACES + networkInterface + "/bonding")) {
            return List.of(bond(networkInterface, of));
        }
        List<Finding> beneath = new ArrayList<>();
        for (String name : files.names(INTERFACES + networkInterface)) {
            if (name.startsWith(LOWER)) {
                beneath.addAll(check(name.substring(LOWER.length()), of));
            }
        }
        return beneath;
    }

    private Finding bond(String bond, String of) throws IOException {
        List<String> links = new ArrayList<>();
        List<String> advice = new ArrayList<>();
        for (String link : option(bond, "slaves").split(" ", -1)) {
            if (!link.isEmpty()) {
                String state = files.value(INTERFACES + link + "/bonding_slave/mii_status", "");
                links.add(
                        link + " " + state + " (" + files.value(INTERFACES + link + "/bonding_slave/state", "") + ")");
                if (!state.equals("up")) {
                    advice.add(link + " carries nothing: see ip link show " + link);
                }
            }
        }
        if (option(bond, "miimon").equals("0") && option(bond, "arp_interval").equals("0")) {
            advice.add("the bond does not notice that a link fails: ip link set " + bond + " type bond miimon 100");
        }
        if (links.isEmpty()) {
            advice.add("it has no links: ip link set INTERFACE master " + bond);
        }
        String found = bond + " of " + of + ": " + option(bond, "mode").replaceFirst(" .*", "") + ", links " + links;
        return advice.isEmpty()
                ? Finding.ok("rdma.bond", found)
                : Finding.warning("rdma.bond", found, String.join("; ", advice));
    }

    private String option(String bond, String name) throws IOException {
        return files.value(INTERFACES + bond + "/bonding/" + name, "");
    }
}
