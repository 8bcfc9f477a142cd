package io.quarkiverse.ratelimit.deployment.devservices;

import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;

import io.quarkus.deployment.IsDockerWorking;
import io.quarkus.deployment.builditem.DockerStatusBuildItem;
import io.quarkus.runtime.LaunchMode;

/**
 * Tells whether there is a container runtime, quietly: Testcontainers calls it an error when there is none, which is no error
 * where a local server does as well. Whoever needs a container still says so.
 */
final class ContainerRuntime {

    private static final String SEARCH = "org.testcontainers.dockerclient";

    private ContainerRuntime() {
    }

    static boolean isAvailable(DockerStatusBuildItem docker, LaunchMode launchMode) {
        return launchMode == LaunchMode.RUN ? isAvailableInMaven() : isAvailableInQuarkus(docker);
    }

    private static boolean isAvailableInQuarkus(DockerStatusBuildItem docker) {
        Logger logger = Logger.getLogger(SEARCH + ".DockerClientProviderStrategy");
        Filter previous = logger.getFilter();
        logger.setFilter(entry -> entry.getLevel().intValue() < Level.SEVERE.intValue());
        try {
            return docker.isContainerRuntimeAvailable();
        } finally {
            logger.setFilter(previous);
        }
    }

    /**
     * {@code quarkus:run} builds in Maven's JVM, whose loggers take their level from a system property when they are created.
     */
    private static boolean isAvailableInMaven() {
        String level = "org.slf4j.simpleLogger.log." + SEARCH;
        if (System.getProperty(level) != null) {
            return new IsDockerWorking(true).getAsBoolean();
        }
        System.setProperty(level, "off");
        try {
            return new IsDockerWorking(true).getAsBoolean();
        } finally {
            System.clearProperty(level);
        }
    }
}
