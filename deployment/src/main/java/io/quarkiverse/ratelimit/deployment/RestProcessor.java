package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Map;
import java.util.Set;

import jakarta.ws.rs.Priorities;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.processor.scanning.MethodScanner;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.web.ArgumentsBinding;
import io.quarkiverse.ratelimit.runtime.web.GuardBinding;
import io.quarkiverse.ratelimit.runtime.web.Guarded;
import io.quarkiverse.ratelimit.runtime.web.RateLimitFilter;
import io.quarkiverse.ratelimit.runtime.web.RefusalMapper;
import io.quarkiverse.ratelimit.runtime.web.Refusals;
import io.quarkiverse.ratelimit.runtime.web.ResourceWork;
import io.quarkiverse.ratelimit.runtime.web.WebBeans;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.resteasy.reactive.server.spi.MethodScannerBuildItem;
import io.quarkus.resteasy.reactive.spi.ContainerRequestFilterBuildItem;
import io.quarkus.resteasy.reactive.spi.ExceptionMapperBuildItem;

/** Registers the entrance for HTTP requests where the application has Quarkus REST. */
class RestProcessor {

    /** After any mapper of the application. */
    private static final int MAPPER_PRIORITY = Priorities.USER + 1;

    @BuildStep
    void beansFilterAndMappers(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans,
            BuildProducer<ContainerRequestFilterBuildItem> filters, BuildProducer<ExceptionMapperBuildItem> mappers) {
        if (RestServer.of(capabilities) != RestServer.QUARKUS_REST) {
            return;
        }
        beans.produce(AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(WebBeans.class, ResourceWork.class, Refusals.class)
                .build());
        filters.produce(new ContainerRequestFilterBuildItem.Builder(RateLimitFilter.class.getName())
                .setNameBindingNames(Set.of(Guarded.class.getName()))
                .setPriority(Integer.MIN_VALUE)
                .setNonBlockingRequired(true)
                .build());
        for (Class<?> refusal : List.of(RateLimitExceededException.class, RateLimitUnavailableException.class)) {
            mappers.produce(new ExceptionMapperBuildItem.Builder(RefusalMapper.class.getName(), refusal.getName())
                    .setPriority(MAPPER_PRIORITY).build());
        }
    }

    /** Only Quarkus REST asks for it. */
    @BuildStep
    MethodScannerBuildItem bindFilter(GuardedMethodsBuildItem guarded) {
        return new MethodScannerBuildItem(new MethodScanner() {
            @Override
            public List<HandlerChainCustomizer> scan(MethodInfo method, ClassInfo resource, Map<String, Object> context) {
                return guarded.decidedByFilter(resource, method).<List<HandlerChainCustomizer>> map(found -> List
                        .of(found.guarded().parameters().isEmpty() ? new GuardBinding() : new ArgumentsBinding()))
                        .orElse(List.of());
            }
        });
    }
}
