package io.quarkiverse.ratelimit.deployment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/** A class with everything it inherits from, nearest first: itself, its superclasses, then all their interfaces. */
final class Hierarchy {

    private final List<ClassInfo> types;
    private final Map<String, List<MethodInfo>> methods = new LinkedHashMap<>();

    Hierarchy(ClassInfo type, IndexView index) {
        Set<ClassInfo> found = new LinkedHashSet<>();
        for (ClassInfo c = type; c != null; c = c.superName() == null ? null : index.getClassByName(c.superName())) {
            found.add(c);
        }
        for (ClassInfo c : List.copyOf(found)) {
            addInterfaces(c, found, index);
        }
        found.removeIf(c -> c.name().equals(DotName.OBJECT_NAME));
        types = new ArrayList<>(found);
        for (ClassInfo c : types) {
            for (MethodInfo method : c.methods()) {
                if (!method.isConstructor() && !method.isStaticInitializer()) {
                    methods.computeIfAbsent(MethodId.signature(method), signature -> new ArrayList<>()).add(method);
                }
            }
        }
    }

    private static void addInterfaces(ClassInfo type, Set<ClassInfo> found, IndexView index) {
        for (DotName name : type.interfaceNames()) {
            ClassInfo declared = index.getClassByName(name);
            if (declared != null && found.add(declared)) {
                addInterfaces(declared, found, index);
            }
        }
    }

    List<ClassInfo> types() {
        return types;
    }

    /** Every method with all its declarations, nearest first, by signature. */
    Map<String, List<MethodInfo>> methods() {
        return methods;
    }
}
