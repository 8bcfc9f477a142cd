package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Type;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.deployment.methods.InterceptorBinding;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodsBuildItem;
import io.quarkiverse.ratelimit.runtime.engine.pauses.Pauses;
import io.quarkiverse.ratelimit.runtime.entry.cdi.RateLimitInterceptor.LimitedCall;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.InterceptorBindingRegistrarBuildItem;
import io.quarkus.arc.deployment.UnremovableBeanBuildItem;
import io.quarkus.arc.processor.InterceptorBindingRegistrar;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.BytecodeTransformerBuildItem;
import io.quarkus.gizmo.Gizmo;

/** Registers what limits clients that the interceptor of beans does not see. */
class RestClientProcessor {

    /** Named, not loaded, because the class loader of the build may not have the REST client. */
    private static final String CLIENT = "io.quarkiverse.ratelimit.runtime.entry.client.";
    private static final String LISTENER = "org.eclipse.microprofile.rest.client.spi.RestClientListener";

    /** Limits clients of quarkus-rest-client that a builder creates. */
    @BuildStep
    void registerFilter(LimitedMethodsBuildItem limited, Capabilities capabilities,
            BuildProducer<AdditionalBeanBuildItem> beans, BuildProducer<AnnouncedProviderBuildItem> providers) {
        if (capabilities.isPresent(Capability.REST_CLIENT_REACTIVE) && clients(limited).findAny().isPresent()) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(CLIENT + "ClientCallFilter"));
            providers.produce(new AnnouncedProviderBuildItem(LISTENER, CLIENT + "ClientCallFilter$BuiltClients"));
        }
    }

    /** Reads {@code Retry-After} for clients of both kinds, and for the models of AI services, which use them. */
    @BuildStep
    void registerRetryAfterFilter(Capabilities capabilities, BuildProducer<UnremovableBeanBuildItem> beans,
            BuildProducer<AnnouncedProviderBuildItem> providers) {
        if (capabilities.isPresent(Capability.REST_CLIENT_REACTIVE) || capabilities.isPresent(Capability.RESTEASY_CLIENT)) {
            beans.produce(UnremovableBeanBuildItem.beanTypes(Pauses.class));
            providers.produce(new AnnouncedProviderBuildItem(LISTENER, CLIENT + "RetryAfterFilter"));
        }
    }

    /** Passes on the context of clients of RESTEasy Classic that return a {@code CompletionStage}. */
    @BuildStep
    void announceContext(Capabilities capabilities, BuildProducer<AnnouncedProviderBuildItem> providers) {
        if (capabilities.isPresent(Capability.RESTEASY_CLIENT)) {
            providers.produce(new AnnouncedProviderBuildItem("org.jboss.resteasy.spi.concurrent.ThreadContext",
                    CLIENT + "ClassicClientContext"));
        }
    }

    /**
     * Binds the interceptor to all clients of RESTEasy Classic. RESTEasy reads the binding from the interface when it creates a
     * client, so the binding must be in the bytecode.
     */
    @BuildStep
    void bindInterceptor(LimitedMethodsBuildItem limited, Capabilities capabilities,
            BuildProducer<BytecodeTransformerBuildItem> transformers) {
        if (capabilities.isPresent(Capability.RESTEASY_CLIENT)) {
            clients(limited).forEach(client -> transformers.produce(new BytecodeTransformerBuildItem.Builder()
                    .setClassToTransform(client).setVisitorFunction((name, visitor) -> new Binding(visitor)).build()));
        }
    }

    /**
     * Registers {@code @RateLimited} as an interceptor binding. RESTEasy requests its interceptors from ArC, too, which fails
     * for a binding that ArC does not know.
     */
    @BuildStep
    void registerBindings(Capabilities capabilities, BuildProducer<InterceptorBindingRegistrarBuildItem> bindings) {
        if (capabilities.isPresent(Capability.RESTEASY_CLIENT)) {
            bindings.produce(new InterceptorBindingRegistrarBuildItem(new InterceptorBindingRegistrar() {
                @Override
                public List<InterceptorBinding> getAdditionalBindings() {
                    return List.of(InterceptorBinding.of(RateLimited.class, Set.of("value", "cost")),
                            InterceptorBinding.of(RateLimited.List.class, Set.of("value")));
                }
            }));
        }
    }

    private static Stream<String> clients(LimitedMethodsBuildItem limited) {
        return limited.methods().stream().filter(found -> found.isClient() && !found.byExtension())
                .map(found -> found.type().name().toString()).distinct();
    }

    private static final class Binding extends ClassVisitor {

        Binding(ClassVisitor next) {
            super(Gizmo.ASM_API_VERSION, next);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            super.visit(version, access, name, signature, parent, interfaces);
            visitAnnotation(Type.getDescriptor(LimitedCall.class), true).visitEnd();
        }
    }
}
