// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.spring;

import io.accel.metrics.AccelMetrics;
import io.accel.netty.reactor.AccelLoopResources;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.reactor.netty.autoconfigure.ReactorNettyProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.http.HttpResources;

/**
 * The configuration that this jar adds to Spring Boot. Each part applies where its library is present, and none with {@code
 * accel.enabled=false}.
 *
 * <p>This runs before the configurations that make Reactor Netty's resources, which hold back where there is such a bean already.
 * A program's own {@code ReactorResourceFactory} stays.
 */
@AutoConfiguration(
        beforeName = {
            "org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration",
            "org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = AccelEnvironmentPostProcessor.ENABLED, matchIfMissing = true)
public final class AccelAutoConfiguration {
    /** Called by Spring. */
    public AccelAutoConfiguration() {}

    /** Binds Accel's metrics to each meter registry of the program. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Metrics {
        @Bean
        MeterBinder accelMetrics() {
            return registry -> new AccelMetrics().bindTo(registry);
        }
    }

    /** Adds a part to the program's health; {@code management.health.accel.enabled=false} turns it off. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class HealthPart {
        @Bean
        @ConditionalOnEnabledHealthIndicator(
                "accel") // not on the class: Spring would load the annotation before the check that it exists
        @ConditionalOnMissingBean(name = "accelHealthIndicator")
        AccelHealthIndicator accelHealthIndicator() {
            return new AccelHealthIndicator();
        }
    }

    /** Puts WebFlux's server and {@code WebClient} on Accel's transport. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ReactorResourceFactory.class, HttpResources.class, ReactorNettyProperties.class})
    @Conditional(OnAccelTransportCondition.class)
    @EnableConfigurationProperties(ReactorNettyProperties.class)
    static class Transport {
        @Bean
        @ConditionalOnMissingBean
        ReactorResourceFactory reactorResourceFactory(ReactorNettyProperties properties) {
            ReactorResourceFactory factory = new ReactorResourceFactory();
            factory.setUseGlobalResources(false);
            factory.setLoopResourcesSupplier(() -> AccelLoopResources.create("reactor-http"));
            if (properties.getShutdownQuietPeriod() != null) {
                factory.setShutdownQuietPeriod(properties.getShutdownQuietPeriod());
            }
            return factory;
        }
    }
}
