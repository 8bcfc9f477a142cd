package io.quarkiverse.ratelimit.deployment;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;

/** The build warns if the document cannot describe limits. */
class UnidentifiedMethodsTest {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final List<LogRecord> warnings = new ArrayList<>();

    @Test
    void documentWithoutMethodsIsWarnedOf() throws Exception {
        filter(OASFactory.createOperation());

        assertThat(warnings).singleElement()
                .matches(entry -> entry.getMessage().contains("quarkus.smallrye-openapi.auto-add-tags=true"));
    }

    @Test
    void documentWithOtherMethodsIsNot() throws Exception {
        filter(OASFactory.createOperation().addExtension("x-quarkus-openapi-method-ref", "m1_1"));

        assertThat(warnings).isEmpty();
    }

    private void filter(Operation operation) throws Exception {
        ClassInfo type = Index.of(Resource.class).getClassByName(Resource.class);
        MethodInfo quote = type.firstMethod("quote");
        FoundMethod found = new FoundMethod(type, List.of(quote), quote, new LimitedMethod("quote",
                List.of(new PolicyUse("quotes", 1)), true, CallParameters.NONE, true, false, false), false);
        OpenAPI document = OASFactory.createOpenAPI().paths(
                OASFactory.createPaths().addPathItem("/quotes", OASFactory.createPathItem().GET(operation)));

        Handler capture = new Capture();
        LOG.addHandler(capture);
        try {
            new LimitedOperations(List.of(found), new ConfiguredAtBuild(property -> null)).filterOpenAPI(document);
        } finally {
            LOG.removeHandler(capture);
        }
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
