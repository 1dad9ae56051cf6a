// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

/** {@link FewRights}, in a program that installs its security manager itself, before it opens anything. */
final class LateSecurityManager {
    private LateSecurityManager() {}

    @SuppressWarnings("removal") // old programs have one
    public static void main(String[] args) throws Exception {
        System.setSecurityManager(new SecurityManager());
        FewRights.main(args);
    }
}
