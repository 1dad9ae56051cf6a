// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The effect of {@code accel.*} in a program's configuration, in files that Spring Boot itself reads. */
@Timeout(30)
class SettingsTest {
    private final AccelEnvironmentPostProcessor processor = new AccelEnvironmentPostProcessor();

    @AfterEach
    void leaveNothing() {
        System.clearProperty("accel.enabled");
        processor.postProcessEnvironment(environmentOf(Map.of(), Map.of("accel.enabled", "false")), null);
    }

    private static void run(String name, String... arguments) {
        SpringApplication application = new SpringApplication(Nothing.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setDefaultProperties(Map.of("spring.config.name", name, "spring.main.banner-mode", "off"));
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            assertThat(context.isActive()).isTrue();
        }
    }

    private static InvalidSettingsException failureOf(String name, String... arguments) {
        return catchThrowableOfType(InvalidSettingsException.class, () -> run(name, arguments));
    }

    /** With these variables and, in a file, these properties. */
    private static StandardEnvironment environmentOf(Map<String, Object> variables, Map<String, Object> properties) {
        StandardEnvironment environment = new StandardEnvironment() {
            @Override
            public Map<String, Object> getSystemEnvironment() {
                return variables;
            }
        };
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        environment.getPropertySources().addLast(new MapPropertySource("file", properties));
        ConfigurationPropertySources.attach(environment);
        return environment;
    }

    @Test
    void mistakesAreToldWithFileLineAndNearestName() {
        InvalidSettingsException failure = failureOf("wrong");
        assertThat(failure.getMessage().lines())
                .hasSize(2)
                .anySatisfy(line -> assertThat(line)
                        .contains("[wrong.yaml]", "4:11", "unknown key 'ring.sise'; did you mean 'ring.size'?"))
                .anySatisfy(line -> assertThat(line).contains("[wrong.yaml]", "5:14", "poll.spin=soon", "allowed:"));
        FailureAnalysis analysis = new InvalidSettingsFailureAnalyzer().analyze(new IllegalStateException(failure));
        assertThat(analysis.getDescription()).contains("did you mean 'ring.size'?");
        assertThat(analysis.getAction()).contains("accel.enabled=false");
        assertThat(System.getProperty("accel.ring.sise")).isNull();
        assertThat(System.getProperty("accel.profile")).isNull();
    }

    @Test
    void mistakesOnTheCommandLineAreTold() {
        assertThat(failureOf("none", "--accel.profile=latencie"))
                .hasMessageContaining("accel.profile")
                .hasMessageContaining("did you mean 'latency'?");
    }

    @Test
    void withAccelOffNothingIsCheckedOrSet() {
        run("wrong", "--accel.enabled=false");
        assertThat(System.getProperty("accel.profile")).isNull();
    }

    @Test
    void settingsReachAccel() {
        run("right");
        assertThat(System.getProperty("accel.ring.size")).isEqualTo("2MiB");
        assertThat(System.getProperty("accel.fabric.order")).isEqualTo("rdma,shm");
        assertThat(System.getProperty("accel.zero-copy.threshold")).isEqualTo("64KiB");
        assertThat(System.getProperty("accel.connect.probe-timeout")).isEqualTo("10s"); // of this JVM's command line
        assertThat(System.getProperty("accel.rule.1")).isEqualTo("kernel * *:5432");
    }

    @Test
    void whatOneContextSaidIsForgottenByTheNext() {
        run("right");
        run("none");
        assertThat(System.getProperty("accel.ring.size")).isNull();
        assertThat(System.getProperty("accel.connect.probe-timeout")).isEqualTo("10s");
    }

    @ParameterizedTest
    @CsvSource({
        // a file's value, a variable's, ACCEL_OPTIONS', and which one counts
        "1MiB,     ,               , 1MiB",
        "1MiB, 2MiB,               , 2MiB",
        "1MiB,     , ring.size=4MiB, 4MiB",
        "1MiB, 2MiB, ring.size=4MiB, 2MiB",
        "    , 2MiB,               , 2MiB",
    })
    void theEnvironmentOutranksFiles(String file, String variable, String options, String expected) {
        Map<String, Object> variables = new HashMap<>();
        if (variable != null) {
            variables.put("ACCEL_RING_SIZE", variable);
        }
        if (options != null) {
            variables.put("ACCEL_OPTIONS", options);
        }
        processor.postProcessEnvironment(
                environmentOf(variables, file == null ? Map.of() : Map.of("accel.ring.size", file)), null);
        assertThat(System.getProperty("accel.ring.size")).isEqualTo(expected);
    }

    @Test
    void yamlsWordOffIsTheProfile() {
        processor.postProcessEnvironment(environmentOf(Map.of(), Map.of("accel.profile", false)), null);
        assertThat(System.getProperty("accel.profile")).isEqualTo("off");
    }

    @Test
    void theSwitchAsASystemPropertyIsNoUnknownKey() {
        System.setProperty("accel.enabled", "true");
        StandardEnvironment environment = environmentOf(Map.of(), Map.of("accel.enabled", "false"));
        processor.postProcessEnvironment(environment, null);
        assertThat(AccelEnvironmentPostProcessor.isEnabled(environment)).isTrue();
        assertThat(System.getProperty("accel.enabled")).isNull();
    }

    static class Nothing {}
}
