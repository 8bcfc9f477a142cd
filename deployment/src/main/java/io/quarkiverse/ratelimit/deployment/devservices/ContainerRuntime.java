package io.quarkiverse.ratelimit.deployment.devservices;

import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;

import io.quarkus.deployment.IsDockerWorking;
import io.quarkus.deployment.builditem.DockerStatusBuildItem;
import io.quarkus.runtime.LaunchMode;

/**
 * Checks for a container runtime without log messages. Testcontainers logs an error if there is none, although a local
 * server can replace it. Other extensions that need a container still log the error.
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
     * Looks for a container runtime in the JVM of Maven, in which {@code quarkus:run} builds. Loggers of Maven read their level
     * from a system property when they are created.
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
