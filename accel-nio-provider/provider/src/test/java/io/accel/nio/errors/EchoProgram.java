// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.errors;

import io.accel.nio.AccelSelectorProvider;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * An {@link Echo} as a program, whose argument is the way in which it waits. It says its port, and then, for each line that it gets, how many
 * connections it has closed early, and what has surprised it.
 */
final class EchoProgram {
    private EchoProgram() {}

    public static void main(String[] args) throws Exception {
        try (Echo echo = Echo.Way.valueOf(args[0]).open(new AccelSelectorProvider());
                BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println("port " + echo.address().getPort());
            while (orders.readLine() != null) {
                echo.surprises.forEach(Throwable::printStackTrace);
                System.out.println("status: closed " + echo.given + ", surprised " + echo.surprises);
            }
        }
    }
}
