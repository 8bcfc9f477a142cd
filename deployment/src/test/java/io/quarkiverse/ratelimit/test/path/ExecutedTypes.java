package io.quarkiverse.ratelimit.test.path;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.Method;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector.Argument;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;

/** Finds out as a debugger which types another JVM executes. */
final class ExecutedTypes implements AutoCloseable {

    private final VirtualMachine vm;
    private final MethodEntryRequest entries;

    /** @param types a name that may begin or end with an asterisk */
    ExecutedTypes(int port, String types) throws Exception {
        AttachingConnector sockets = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                .filter(connector -> connector.name().equals("com.sun.jdi.SocketAttach")).findFirst().orElseThrow();
        Map<String, Argument> arguments = sockets.defaultArguments();
        arguments.get("hostname").setValue("127.0.0.1");
        arguments.get("port").setValue(Integer.toString(port));
        vm = sockets.attach(arguments);
        entries = vm.eventRequestManager().createMethodEntryRequest();
        entries.addClassFilter(types);
        entries.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    }

    /** The names of the top-level types whose code runs meanwhile, on any thread. */
    Set<String> during(Runnable action) throws InterruptedException {
        Set<String> executed = new TreeSet<>();
        entries.enable();
        CompletableFuture<Void> running = CompletableFuture.runAsync(action);
        // each event was queued before its thread went on, so that none is missing when the call has ended
        for (EventSet events; (events = vm.eventQueue().remove(1)) != null || !running.isDone();) {
            if (events != null) {
                for (Event event : events) {
                    if (event instanceof MethodEntryEvent entry && isCode(entry.method())) {
                        executed.add(entry.method().declaringType().name().replaceFirst("\\$.*", ""));
                    }
                }
                events.resume();
            }
        }
        entries.disable();
        running.join();
        return executed;
    }

    /** Whether somebody has written the method: not the accessor of a record, and not what runs once. */
    private static boolean isCode(Method method) {
        boolean accessor = method.declaringType() instanceof ClassType type && type.superclass() != null
                && type.superclass().name().equals("java.lang.Record") && method.argumentTypeNames().isEmpty()
                && type.fieldByName(method.name()) != null;
        return !accessor && !method.isStaticInitializer();
    }

    @Override
    public void close() {
        vm.dispose();
    }
}
