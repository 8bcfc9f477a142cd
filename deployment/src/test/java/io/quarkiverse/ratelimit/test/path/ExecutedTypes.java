package io.quarkiverse.ratelimit.test.path;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

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
            if (type.name().startsWith(packageName + '.') && type.isPrepared()) {
                type.methods().stream().filter(ExecutedTypes::isCode).forEach(this::stopAt);
            }
        }
    }

    private void stopAt(Method method) {
        BreakpointRequest begin = vm.eventRequestManager().createBreakpointRequest(method.location());
        // each event is queued before its thread goes on, so that none is missing when a call has ended
        begin.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        begin.enable();
    }

    /** Whether somebody has written the method: not the accessor of a record, and not what runs only once. */
    private static boolean isCode(Method method) {
        boolean accessor = method.declaringType() instanceof ClassType type && type.superclass() != null
                && type.superclass().name().equals("java.lang.Record") && method.argumentTypeNames().isEmpty()
                && type.fieldByName(method.name()) != null;
        return method.location() != null && !accessor && !method.isStaticInitializer();
    }

    /** The names of the top-level types whose code runs meanwhile, on any thread. */
    Set<String> during(Runnable action) throws InterruptedException {
        takeEvents();
        Set<String> executed = new TreeSet<>();
        CompletableFuture<Void> running = CompletableFuture.runAsync(action);
        while (!running.isDone()) {
            executed.addAll(takeEvents());
        }
        running.join();
        return executed;
    }

    private Set<String> takeEvents() throws InterruptedException {
        Set<String> executed = new TreeSet<>();
        for (EventSet events; (events = vm.eventQueue().remove(1)) != null; events.resume()) {
            for (Event event : events) {
                if (event instanceof BreakpointEvent stopped) {
                    executed.add(stopped.location().declaringType().name().replaceFirst("\\$.*", ""));
                }
            }
        }
        return executed;
    }

    @Override
    public void close() {
        vm.dispose();
    }
}
