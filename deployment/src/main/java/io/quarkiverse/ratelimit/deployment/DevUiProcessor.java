package io.quarkiverse.ratelimit.deployment;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.dev.AdminTools;
import io.quarkiverse.ratelimit.runtime.dev.DecisionFeed;
import io.quarkiverse.ratelimit.runtime.dev.EntryPoints;
import io.quarkus.deployment.IsLocalDevelopment;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.devui.spi.JsonRPCProvidersBuildItem;
import io.quarkus.devui.spi.page.CardPageBuildItem;
import io.quarkus.devui.spi.page.Page;
import io.quarkus.devui.spi.page.WebComponentPageBuilder;

/** Adds pages to the Dev UI and tools to the Dev MCP. */
class DevUiProcessor {

    @BuildStep(onlyIf = IsLocalDevelopment.class)
    CardPageBuildItem card() {
        CardPageBuildItem card = new CardPageBuildItem();
        // the Dev UI serves no SVG, and would load the icon of the extension from its web site
        card.setLogo("rate-limit.png", "rate-limit.png");
        card.addPage(page("Administration", "scale-balanced", "administration"));
        card.addPage(page("What is limited", "shield-halved", "entry-points"));
        card.addPage(page("Live decisions", "wave-square", "decisions"));
        return card;
    }

    private static WebComponentPageBuilder page(String title, String icon, String name) {
        return Page.webComponentPageBuilder().title(title).icon("font-awesome-solid:" + icon)
                .componentLink("qwc-rate-limit-" + name + ".js");
    }

    /**
     * Names the providers in every build, as Quarkus asks for: it also reads the items to know where annotations such as
     * {@code @Blocking} are allowed. Only dev mode makes beans of the classes.
     */
    @BuildStep
    void providers(BuildProducer<JsonRPCProvidersBuildItem> providers) {
        for (Class<?> provider : List.of(EntryPoints.class, DecisionFeed.class, AdminTools.class)) {
            providers.produce(new JsonRPCProvidersBuildItem(provider));
        }
    }
}
