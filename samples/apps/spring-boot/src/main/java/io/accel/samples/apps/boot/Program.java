// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.boot;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Greets by HTTP. Spring Boot runs it in Tomcat, or on Reactor Netty with {@code --spring.main.web-application-type=reactive}. Its other
 * arguments are Spring Boot's, too.
 */
@SpringBootApplication
public class Program {
    /** Answers the requests. */
    @RestController
    static class Greeting {
        @GetMapping("/hello/{name}")
        String hello(@PathVariable("name") String name) {
            return "hello " + name;
        }
    }

    public static void main(String[] args) {
        SpringApplication.run(Program.class, args);
    }
}
