// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.netty.reactor.AccelLoopResources;
import io.accel.testing.ChildJvm;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/** The beans beside Spring Boot's own configuration. */
@Timeout(30)
class AccelAutoConfigurationTest {
    private final ApplicationContextRunner program = new ApplicationContextRunner()
            .withPropertyValues("spring.reactor.netty.shutdown-quiet-period=0s")
            .withConfiguration(AutoConfigurations.of(
                    AccelAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    ReactiveHttpClientAutoConfiguration.class));

    @Test
    void transportMetricsAndHealthAreThere() {
        program.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run(context -> {
            assertThat(context).hasSingleBean(AccelHealthIndicator.class).hasSingleBean(ReactorResourceFactory.class);
            assertThat(context.getBean(ReactorResourceFactory.class).getLoopResources())
                    .isInstanceOf(AccelLoopResources.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.find("accel.connections").tag("path", "shm").gauge())
                    .isNotNull();
            assertThat(registry.find("accel.fallbacks").functionCounters()).isNotEmpty();
        });
    }

    @Test
    void onePropertyTurnsAllOfItOff() {
        program.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("accel.enabled=false")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(AccelAutoConfiguration.class);
                    assertThat(context).doesNotHaveBean(AccelHealthIndicator.class);
                    assertThat(context).doesNotHaveBean("accelMetrics");
                    assertThat(context.getBean(ReactorResourceFactory.class).isUseGlobalResources())
                            .isTrue();
                    assertThat(context.getBean(MeterRegistry.class)
                                    .find("accel.connections")
                                    .gauge())
                            .isNull();
                });
    }

    @Test
    void healthAloneCanBeTurnedOff() {
        program.withPropertyValues("management.health.accel.enabled=false").run(context -> assertThat(context)
                .hasSingleBean(MeterBinder.class)
                .doesNotHaveBean(AccelHealthIndicator.class));
    }

    @Test
    void aProgramsOwnResourcesStay() {
        program.withUserConfiguration(OwnResources.class).run(context -> {
            assertThat(context).hasSingleBean(ReactorResourceFactory.class);
            assertThat(context.getBean(ReactorResourceFactory.class).getLoopResources())
                    .isNotInstanceOf(AccelLoopResources.class);
        });
    }

    @Test
    void eachLibraryMayBeMissing() {
        ApplicationContextRunner alone =
                new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(AccelAutoConfiguration.class));
        alone.withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("accelMetrics"));
        alone.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("accelHealthIndicator"));
        alone.withClassLoader(new FilteredClassLoader("org.springframework.boot.reactor"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactorResourceFactory.class));
        alone.withClassLoader(new FilteredClassLoader("reactor.netty.http"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactorResourceFactory.class));
    }

    @Test
    void healthTellsTheProfileAndIsUp() {
        program.run(context -> {
            HealthIndicator health = context.getBean(AccelHealthIndicator.class);
            assertThat(health.health().getStatus().getCode()).isEqualTo("UP");
            assertThat(health.health().getDetails())
                    .containsEntry("profile", "balanced")
                    .containsEntry("accelerating", true)
                    .containsKeys("connections", "opened", "fallbacks");
        });
    }

    /** A process has one profile, so this takes another. */
    @Test
    void inProfileOffTheTransportIsSpringBootsOwn() throws Exception {
        String output = new ChildJvm(OutcomeOfCondition.class)
                .with("-Daccel.profile=off")
                .run()
                .orderly();
        assertThat(output).contains("false", "Accel is off by its profile");
    }

    static final class OutcomeOfCondition {
        private OutcomeOfCondition() {}

        public static void main(String[] args) {
            ConditionOutcome outcome = new OnAccelTransportCondition().getMatchOutcome(null, null);
            System.out.println(outcome.isMatch() + " " + outcome.getMessage());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnResources {
        @Bean
        ReactorResourceFactory own() {
            ReactorResourceFactory factory = new ReactorResourceFactory();
            factory.setUseGlobalResources(false);
            factory.setLoopResourcesSupplier(() -> LoopResources.create("own", 1, true));
            return factory;
        }
    }
}
