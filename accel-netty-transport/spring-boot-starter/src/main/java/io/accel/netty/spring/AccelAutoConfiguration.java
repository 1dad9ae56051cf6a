package io.accel.netty.spring;

import io.accel.core.observe.metrics.AccelMetrics;
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
 * What Spring Boot configures where this jar is: each part where its library is, and none with {@code accel.enabled=false}.
 *
 * <p>Comes before what makes Reactor Netty's resources, which keep theirs to themselves where a bean for them is there. A program's
 * own {@code ReactorResourceFactory} stays.
 */
@AutoConfiguration(
        beforeName = {
            "org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration",
            "org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = AccelEnvironmentPostProcessor.ENABLED, matchIfMissing = true)
public final class AccelAutoConfiguration {
    /** For Spring. */
    public AccelAutoConfiguration() {}

    /** Accel's metrics in each registry of the program. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Metrics {
        @Bean
        MeterBinder accelMetrics() {
            return registry -> new AccelMetrics().bindTo(registry);
        }
    }

    /** A part of the program's health, {@code management.health.accel.enabled} of which turns it off. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class HealthPart {
        @Bean
        @ConditionalOnEnabledHealthIndicator(
                "accel") // not of the class: Spring would look for it before that it is there
        @ConditionalOnMissingBean(name = "accelHealthIndicator")
        AccelHealthIndicator accelHealthIndicator() {
            return new AccelHealthIndicator();
        }
    }

    /** Accel's transport for WebFlux's server and for {@code WebClient}. */
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
