package io.quarkiverse.ratelimit.deployment.methods;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

/** Lists a class and all its supertypes, nearest first: the class, its superclasses, then all interfaces. */
public final class Hierarchy {

    private final IndexView index;
    private final Map<ClassInfo, TypeArguments> types = new LinkedHashMap<>();
    private final Map<String, List<MethodInfo>> methods = new LinkedHashMap<>();

    public Hierarchy(ClassInfo type, IndexView index) {
        this.index = index;
        addSuperclasses(type);
        for (ClassInfo c : List.copyOf(types.keySet())) {
            addInterfaces(c);
        }
        types.forEach((c, arguments) -> {
            for (MethodInfo method : c.methods()) {
                if (!method.isConstructor() && !method.isStaticInitializer() && !isBridgeToAnother(method)) {
                    methods.computeIfAbsent(MethodId.signature(method, arguments), signature -> new ArrayList<>()).add(method);
                }
            }
        });
    }

    private void addSuperclasses(ClassInfo type) {
        TypeArguments arguments = TypeArguments.NONE;
        ClassInfo c = type;
        while (c != null && !c.name().equals(DotName.OBJECT_NAME)) {
            types.put(c, arguments);
            Type parent = c.superClassType();
            c = index.getClassByName(parent.name());
            arguments = c == null ? null : arguments.of(c, parent);
        }
    }

    /** Moves an interface that is already listed behind the type that extends it. */
    private void addInterfaces(ClassInfo type) {
        for (Type extended : type.interfaceTypes()) {
            ClassInfo declared = index.getClassByName(extended.name());
            if (declared != null) {
                types.remove(declared);
                types.put(declared, types.get(type).of(declared, extended));
                addInterfaces(declared);
            }
        }
    }

    /**
     * Returns whether this method is a bridge to another method of the class with more specific types. Other bridges only make
     * an inherited method visible, so they count as its declaration.
     */
    private static boolean isBridgeToAnother(MethodInfo method) {
        return method.isBridge() && method.declaringClass().methods().stream().anyMatch(other -> !other.isBridge()
                && other.name().equals(method.name()) && other.parametersCount() == method.parametersCount());
    }

    public List<ClassInfo> types() {
        return List.copyOf(types.keySet());
    }

    /** Returns the declarations of each method, nearest first, by its signature in the class. */
    Map<String, List<MethodInfo>> methods() {
        return Collections.unmodifiableMap(methods);
    }

    /** Returns the arguments with which the class extends or implements one of its types. */
    public TypeArguments argumentsOf(ClassInfo type) {
        return types.get(type);
    }
}
