package io.quarkiverse.ratelimit.deployment;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.admin.AdminTools;
import io.quarkiverse.ratelimit.runtime.devui.DecisionFeed;
import io.quarkiverse.ratelimit.runtime.devui.EntryPoints;
import io.quarkus.deployment.IsLocalDevelopment;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.devui.spi.JsonRPCProvidersBuildItem;
import io.quarkus.devui.spi.page.CardPageBuildItem;
import io.quarkus.devui.spi.page.Page;
import io.quarkus.devui.spi.page.WebComponentPageBuilder;

/** Adds pages to the Dev UI and tools to the Dev MCP, in dev mode only. */
@BuildSteps(onlyIf = IsLocalDevelopment.class)
class DevUiProcessor {

    @BuildStep
    CardPageBuildItem card() {
        CardPageBuildItem card = new CardPageBuildItem();
        card.addPage(page("Administration", "scale-balanced", "administration"));
        card.addPage(page("What is limited", "shield-halved", "entry-points"));
        card.addPage(page("Live decisions", "wave-square", "decisions"));
        return card;
    }

    private static WebComponentPageBuilder page(String title, String icon, String name) {
        return Page.webComponentPageBuilder().title(title).icon("font-awesome-solid:" + icon)
                .componentLink("qwc-rate-limit-" + name + ".js");
    }

    /** Also registers the classes as beans. */
    @BuildStep
    void providers(BuildProducer<JsonRPCProvidersBuildItem> providers) {
        for (Class<?> provider : List.of(EntryPoints.class, DecisionFeed.class, AdminTools.class)) {
            providers.produce(new JsonRPCProvidersBuildItem(provider));
        }
    }
}
