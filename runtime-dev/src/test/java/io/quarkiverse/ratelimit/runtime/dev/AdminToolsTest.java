package io.quarkiverse.ratelimit.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.operate.admin.AdminOperations;
import io.quarkus.runtime.annotations.DevMCPEnableByDefault;
import io.quarkus.runtime.annotations.JsonRpcDescription;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

/** What Quarkus' Dev MCP makes of the tools. It offers only methods with a description. */
class AdminToolsTest {

    private static final List<Method> TOOLS = Arrays.stream(AdminTools.class.getDeclaredMethods())
            .filter(method -> !method.isSynthetic() && Modifier.isPublic(method.getModifiers())).toList();

    @Test
    void toolsAndTheirParametersAreDescribed() {
        assertThat(TOOLS).isNotEmpty().allMatch(method -> method.isAnnotationPresent(JsonRpcDescription.class))
                .flatExtracting(method -> List.of(method.getParameters()))
                .allMatch(parameter -> parameter.isAnnotationPresent(JsonRpcDescription.class));
    }

    @Test
    void agentsReadByDefaultAndActOnlyWhereADeveloperEnablesIt() {
        assertThat(TOOLS).filteredOn(method -> method.isAnnotationPresent(DevMCPEnableByDefault.class))
                .extracting(Method::getName)
                .containsExactlyInAnyOrder("policies", "keyState", "mostDenied", "mostDeniedOfAll", "blockedKeys");
        assertThat(TOOLS).filteredOn(method -> !method.isAnnotationPresent(DevMCPEnableByDefault.class))
                .extracting(Method::getName)
                .containsExactlyInAnyOrder("reset", "override", "removeOverride", "block", "unblock", "unblockAll", "shadow",
                        "enforce");
    }

    /** A change needs no reason. */
    @Test
    void missingParameterIsNamed() throws Exception {
        AdminTools tools = new AdminTools(new AdminOperations(null, null, null, null, null, null, null, null,
                null));
        for (Method tool : TOOLS) {
            Parameter[] parameters = tool.getParameters();
            for (int missing = 0; missing < parameters.length; missing++) {
                if (parameters[missing].getName().equals("reason")) {
                    continue;
                }
                Object[] arguments = Arrays.stream(parameters)
                        .map(parameter -> parameter.getType() == Long.class ? (Object) 1L : "1").toArray();
                arguments[missing] = null;

                assertThat(((Uni<?>) tool.invoke(tools, arguments)).await().indefinitely()).as(tool.getName())
                        .asInstanceOf(type(JsonObject.class)).extracting(result -> result.getString("error")).asString()
                        .startsWith("The parameter " + parameters[missing].getName() + " is missing.");
            }
        }
    }
}
