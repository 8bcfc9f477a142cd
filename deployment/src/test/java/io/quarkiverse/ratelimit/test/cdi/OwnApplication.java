package io.quarkiverse.ratelimit.test.cdi;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

import io.quarkus.bootstrap.app.AugmentResult;
import io.quarkus.bootstrap.app.CuratedApplication;
import io.quarkus.bootstrap.app.QuarkusBootstrap;

/**
 * Builds an application for production and runs it to its end. It has this extension and the extensions it names, and
 * nothing of what is on the class path of the tests, on which every other kind of test builds.
 */
final class OwnApplication {

    private static final String POM = """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
                <modelVersion>4.0.0</modelVersion>
                <parent>
                    <groupId>io.quarkiverse.ratelimit</groupId>
                    <artifactId>quarkus-rate-limit-parent</artifactId>
                    <version>999-SNAPSHOT</version>
                    <relativePath>../../../pom.xml</relativePath>
                </parent>
                <artifactId>%s</artifactId>
                <dependencies>
                    <dependency>
                        <groupId>io.quarkiverse.ratelimit</groupId>
                        <artifactId>quarkus-rate-limit</artifactId>
                        <version>999-SNAPSHOT</version>
                    </dependency>
                    %s
                </dependencies>
            </project>
            """;

    private static final String DEPENDENCY = """
            <dependency>
                <groupId>io.quarkus</groupId>
                <artifactId>%s</artifactId>
            </dependency>
            """;

    private OwnApplication() {
    }

    /** The jar of the application. */
    static Path build(String name, List<String> extensions, Map<String, String> configuration, Class<?>... classes)
            throws Exception {
        Path project = Path.of("target", name).toAbsolutePath();
        Path root = Files.createDirectories(project.resolve("target/classes"));
        StringBuilder dependencies = new StringBuilder();
        extensions.forEach(extension -> dependencies.append(DEPENDENCY.formatted(extension)));
        Files.writeString(project.resolve("pom.xml"), POM.formatted(name, dependencies));
        for (Class<?> type : classes) {
            copy(type, root);
        }
        Properties properties = new Properties();
        properties.putAll(configuration);
        try (var out = Files.newOutputStream(root.resolve("application.properties"))) {
            properties.store(out, null);
        }
        return build(project, root);
    }

    private static void copy(Class<?> type, Path root) throws IOException {
        String file = type.getName().replace('.', '/') + ".class";
        Files.createDirectories(root.resolve(file).getParent());
        try (InputStream in = type.getClassLoader().getResourceAsStream(file)) {
            Files.write(root.resolve(file), in.readAllBytes());
        }
    }

    private static Path build(Path project, Path root) throws Exception {
        try (CuratedApplication application = QuarkusBootstrap.builder()
                .setApplicationRoot(root)
                .setProjectRoot(project)
                .setTargetDirectory(project.resolve("target"))
                .setBaseName(project.getFileName().toString())
                .setMode(QuarkusBootstrap.Mode.PROD)
                .setLocalProjectDiscovery(true)
                .setIsolateDeployment(true)
                .setBaseClassLoader(new BootstrapOnly(OwnApplication.class.getClassLoader()))
                .build().bootstrap()) {
            AugmentResult result = application.createAugmentor().createProductionApplication();
            return result.getJar().getPath();
        }
    }

    /** What the application and its JVM wrote. */
    static String run(Path jar, List<String> jvmArguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmArguments);
        command.addAll(List.of("-jar", jar.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes());
    }

    /** Hides from a build whatever is on the class path of the tests and does not belong to Quarkus' bootstrap. */
    private static final class BootstrapOnly extends ClassLoader {

        private static final Pattern OF_EXTENSIONS = Pattern
                .compile("io\\.(quarkus|quarkiverse)\\.|jakarta\\.|org\\.jboss\\.resteasy\\.");

        BootstrapOnly(ClassLoader tests) {
            super(tests);
        }

        private boolean isBootstrap(String name) {
            URL file = super.getResource(name.replace('.', '/') + ".class");
            return file != null && (file.getPath().contains("/quarkus-bootstrap-")
                    || file.getPath().contains("/quarkus-classloader-commons"));
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (OF_EXTENSIONS.matcher(name).lookingAt() && !isBootstrap(name)) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }

        @Override
        public URL getResource(String name) {
            return name.startsWith("java/") ? super.getResource(name) : null;
        }

        @Override
        public Enumeration<URL> getResources(String name) {
            return Collections.emptyEnumeration();
        }
    }
}
