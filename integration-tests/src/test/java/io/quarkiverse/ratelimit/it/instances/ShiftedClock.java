package io.quarkiverse.ratelimit.it.instances;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.time.Clock;
import java.util.Date;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A Java agent that moves the clock of its JVM ahead by the milliseconds in its argument: it adds them wherever a class,
 * also of the JDK, reads the time of day.
 */
public final class ShiftedClock implements ClassFileTransformer {

    private final long millis;

    private ShiftedClock(long millis) {
        this.millis = millis;
    }

    public static void premain(String millis, Instrumentation jvm) throws Exception {
        jvm.addTransformer(new ShiftedClock(Long.parseLong(millis)), true);
        jvm.retransformClasses(Clock.class, Date.class);
    }

    /** The option of a JVM whose clock is this much ahead; the agent is written to this directory. */
    static String option(Path directory, long millis) throws IOException {
        Path asm = directory.resolve("asm.jar");
        Files.copy(Path.of(ClassReader.class.getProtectionDomain().getCodeSource().getLocation().getPath()), asm);
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.CLASS_PATH, "asm.jar");
        attributes.putValue("Premain-Class", ShiftedClock.class.getName());
        attributes.putValue("Can-Retransform-Classes", "true");
        Path agent = directory.resolve("shifted-clock.jar");
        try (OutputStream file = Files.newOutputStream(agent); JarOutputStream jar = new JarOutputStream(file, manifest)) {
            for (Class<?> type : new Class<?>[] { ShiftedClock.class, Shifted.class, Calls.class }) {
                String name = type.getName().replace('.', '/') + ".class";
                jar.putNextEntry(new ZipEntry(name));
                try (InputStream bytes = type.getClassLoader().getResourceAsStream(name)) {
                    bytes.transferTo(jar);
                }
            }
        }
        return "-javaagent:" + agent + "=" + millis;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
        if (name == null || name.startsWith("org/objectweb/asm/")) {
            return null;
        }
        ClassReader reader = new ClassReader(bytes);
        Shifted shifted = new Shifted(new ClassWriter(reader, ClassWriter.COMPUTE_MAXS), millis);
        reader.accept(shifted, 0);
        return shifted.bytes();
    }

    private static final class Shifted extends ClassVisitor {

        private final ClassWriter writer;
        private final long millis;
        private boolean changed;

        Shifted(ClassWriter writer, long millis) {
            super(Opcodes.ASM9, writer);
            this.writer = writer;
            this.millis = millis;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            return new Calls(super.visitMethod(access, name, descriptor, signature, exceptions), this);
        }

        byte[] bytes() {
            return changed ? writer.toByteArray() : null;
        }
    }

    private static final class Calls extends MethodVisitor {

        private final Shifted type;

        Calls(MethodVisitor next, Shifted type) {
            super(Opcodes.ASM9, next);
            this.type = type;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            if (owner.equals("java/lang/System") && name.equals("currentTimeMillis")) {
                add(type.millis);
            } else if (owner.equals("jdk/internal/misc/VM") && name.equals("getNanoTimeAdjustment")) {
                add(type.millis * 1_000_000);
            }
        }

        private void add(long amount) {
            visitLdcInsn(amount);
            visitInsn(Opcodes.LADD);
            type.changed = true;
        }
    }
}
