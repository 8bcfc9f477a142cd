package io.quarkiverse.ratelimit.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.GeneratedResourceBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ServiceProviderBuildItem;

/** Writes the services files of the application, and registers their providers for native images. */
class ServicesProcessor {

    @BuildStep
    void announce(List<AnnouncedProviderBuildItem> announced, BuildProducer<GeneratedResourceBuildItem> files,
            BuildProducer<ServiceProviderBuildItem> images) {
        Map<String, List<String>> providers = announced.stream().collect(Collectors.groupingBy(
                AnnouncedProviderBuildItem::service, TreeMap::new,
                Collectors.mapping(AnnouncedProviderBuildItem::provider, Collectors.toList())));
        providers.forEach((service, names) -> {
            ServiceProviderBuildItem image = new ServiceProviderBuildItem(service, names);
            images.produce(image);
            files.produce(new GeneratedResourceBuildItem(image.serviceDescriptorFile(),
                    String.join("\n", names).getBytes(UTF_8)));
        });
    }
}
