package io.quarkiverse.ratelimit.runtime.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkus.runtime.annotations.DevMCPEnableByDefault;
import io.quarkus.runtime.annotations.JsonRpcDescription;

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
                .containsExactlyInAnyOrder("policies", "keyState", "mostDenied", "blockedKeys");
        assertThat(TOOLS).filteredOn(method -> !method.isAnnotationPresent(DevMCPEnableByDefault.class))
                .extracting(Method::getName)
                .containsExactlyInAnyOrder("reset", "override", "removeOverride", "block", "unblock");
    }
}
