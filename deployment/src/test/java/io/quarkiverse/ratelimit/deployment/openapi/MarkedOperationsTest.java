package io.quarkiverse.ratelimit.deployment.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.Index;
import org.jboss.jandex.MethodInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.OfConnection;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;

/** The build marks limited operations, and warns if it cannot identify them. */
class MarkedOperationsTest {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private static final String METHOD = "x-quarkus-openapi-method-ref";

    private final List<LogRecord> warnings = new ArrayList<>();
    private ClassInfo type;
    private MethodInfo quote;

    @BeforeEach
    void index() throws IOException {
        type = Index.singleClass(Resource.class);
        quote = type.firstMethod("quote");
    }

    @Test
    void documentWithoutMethodsIsWarnedOf() {
        filter(OASFactory.createOperation());

        assertThat(warnings).singleElement()
                .matches(entry -> entry.getMessage().contains("quarkus.smallrye-openapi.auto-add-tags=true"));
    }

    @Test
    void documentWithOtherMethodsIsNot() {
        Operation other = filter(OASFactory.createOperation().addExtension(METHOD, "m1_1"));

        assertThat(warnings).isEmpty();
        assertThat(other.getExtensions()).containsOnlyKeys(METHOD);
    }

    @Test
    void limitedOperationIsMarkedWithItsPolicies() {
        Operation limited = filter(limited());

        assertThat(limited.getExtensions()).containsEntry("x-rate-limit-policies", List.of("quotes"));
        assertThat(limited.getResponses().getAPIResponses()).isEmpty();
    }

    @Test
    void limitedOperationIsDescribedAtOnceIfQuarkusIgnoresTheFilterOfTheStart() {
        System.setProperty("mp.openapi.scan.packages", "org.acme");
        try {
            Operation limited = filter(limited());

            assertThat(limited.getExtensions()).containsOnlyKeys(METHOD);
            assertThat(limited.getResponses().getAPIResponses()).containsOnlyKeys("429", "503");
        } finally {
            System.clearProperty("mp.openapi.scan.packages");
        }
    }

    private Operation limited() {
        return OASFactory.createOperation().addExtension(METHOD, "m" + type.hashCode() + "_" + quote.hashCode())
                .responses(OASFactory.createAPIResponses());
    }

    private Operation filter(Operation operation) {
        FoundMethod found = new FoundMethod(type, List.of(quote), quote, new LimitedMethod("quote",
                List.of(new PolicyUse("quotes", 1)), true, CallParameters.NONE, true, OfConnection.NONE, false), false);
        OpenAPI document = OASFactory.createOpenAPI().paths(
                OASFactory.createPaths().addPathItem("/quotes", OASFactory.createPathItem().GET(operation)));

        Handler capture = new Capture();
        LOG.addHandler(capture);
        try {
            new LimitedOperations(List.of(found)).filterOpenAPI(document);
        } finally {
            LOG.removeHandler(capture);
        }
        return operation;
    }

    static class Resource {
        public String quote() {
            return "ok";
        }
    }

    private final class Capture extends Handler {
        @Override
        public void publish(LogRecord entry) {
            warnings.add(entry);
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }
}
