package io.quarkiverse.ratelimit.test.path;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector.Argument;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.EventRequest;

/** Finds out as a debugger which types another JVM executes: by a breakpoint at the begin of each method. */
final class ExecutedTypes implements AutoCloseable {

    /** When no event arrives for so long, all have arrived: periodic tasks cause some, but not more often. */
    private static final int SILENCE_MILLIS = 300;

    private final VirtualMachine vm;

    /** @param packageName of the types, which must be loaded already, with the packages below it */
    ExecutedTypes(int port, String packageName) throws Exception {
        AttachingConnector sockets = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                .filter(connector -> connector.name().equals("com.sun.jdi.SocketAttach")).findFirst().orElseThrow();
        Map<String, Argument> arguments = sockets.defaultArguments();
        arguments.get("hostname").setValue("127.0.0.1");
        arguments.get("port").setValue(Integer.toString(port));
        vm = sockets.attach(arguments);
        for (ReferenceType type : vm.allClasses()) {
            // the JVM generates a type for each lambda, which only calls its code
            boolean generated = type.name().contains("$$Lambda");
            if (type.name().startsWith(packageName + '.') && type.isPrepared() && !generated) {
                type.methods().stream().filter(ExecutedTypes::isCode).forEach(this::reportBegin);
            }
        }
    }

    private void reportBegin(Method method) {
        BreakpointRequest begin = vm.eventRequestManager().createBreakpointRequest(method.location());
        // a thread that waits for the debugger would be so slow that periodic tasks run during each call
        begin.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        begin.enable();
    }

    /** Whether somebody has written the method: not the accessor of a record, and not what runs only once. */
    private static boolean isCode(Method method) {
        boolean accessor = method.declaringType() instanceof ClassType type && type.superclass() != null
                && type.superclass().name().equals("java.lang.Record") && method.argumentTypeNames().isEmpty()
                && type.fieldByName(method.name()) != null;
        return method.location() != null && !accessor && !method.isStaticInitializer();
    }

    /** The names of the top-level types whose code has run on any thread, from each run of this method to the next. */
    List<Set<String>> betweenRunsOf(String markingMethod) throws InterruptedException {
        List<Set<String>> sections = new ArrayList<>();
        Set<String> section = new TreeSet<>();
        for (EventSet events; (events = vm.eventQueue().remove(SILENCE_MILLIS)) != null;) {
            for (Event event : events) {
                Method method = event instanceof BreakpointEvent begun ? begun.location().method() : null;
                if (method != null && method.name().equals(markingMethod)) {
                    sections.add(section);
                    section = new TreeSet<>();
                } else if (method != null) {
                    section.add(method.declaringType().name().replaceFirst("\\$.*", ""));
                }
            }
        }
        // what ran before the first run, or after the last, is not between two of them
        return sections.subList(1, sections.size());
    }

    @Override
    public void close() {
        vm.dispose();
    }
}
