// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import static com.tngtech.archunit.core.domain.JavaModifier.FINAL;
import static com.tngtech.archunit.core.domain.JavaModifier.PROTECTED;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Fails for a public type that names an internal type of Accel where programs see that. A supertype that is not public is looked
 * into instead, since its members are members of the public type.
 */
final class ShowTheApiAlone extends ArchCondition<JavaClass> {
    /** The packages that programs may depend on; the adapters of libraries over Netty have one each. */
    private static final Set<String> API = Set.of(
            "io.accel",
            "io.accel.metrics",
            "io.accel.netty",
            "io.accel.netty.grpc",
            "io.accel.netty.reactor",
            "io.accel.netty.spring",
            "io.accel.netty.vertx",
            "io.accel.nio",
            "io.accel.profile");

    ShowTheApiAlone() {
        super("show no types of Accel but those of its API");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        checkMembers(type, type, events);
    }

    private static void checkMembers(JavaClass shown, JavaClass declaring, ConditionEvents events) {
        boolean extensible = !shown.getModifiers().contains(FINAL);
        declaring.getTypeParameters().forEach(parameter -> refer(shown, declaring, Stream.of(parameter), events));
        for (JavaField field : declaring.getFields()) {
            if (isSeen(field, extensible)) {
                refer(shown, field, Stream.of(field.getType()), events);
            }
        }
        for (JavaCodeUnit code : declaring.getCodeUnits()) {
            if (isSeen(code, extensible) && (declaring == shown || !code.isConstructor())) {
                refer(shown, code, typesOf(code), events);
            }
        }
        Stream.concat(declaring.getSuperclass().stream(), declaring.getInterfaces().stream())
                .forEach(supertype -> {
                    JavaClass raw = supertype.toErasure();
                    if (isAccels(raw) && !raw.getModifiers().contains(PUBLIC)) {
                        checkMembers(shown, raw, events);
                    } else {
                        refer(shown, declaring, Stream.of(supertype), events);
                    }
                });
    }

    private static boolean isSeen(JavaMember member, boolean extensible) {
        return member.getModifiers().contains(PUBLIC)
                || (extensible && member.getModifiers().contains(PROTECTED));
    }

    private static Stream<JavaType> typesOf(JavaCodeUnit code) {
        return Stream.of(
                        List.of(code.getReturnType()),
                        code.getParameterTypes(),
                        code.getTypeParameters(),
                        List.copyOf(code.getExceptionTypes()))
                .flatMap(List::stream);
    }

    private static void refer(JavaClass shown, Object place, Stream<? extends JavaType> types, ConditionEvents events) {
        types.flatMap(type -> type.getAllInvolvedRawTypes().stream())
                .map(JavaClass::getBaseComponentType)
                .filter(type -> isAccels(type) && !isApi(type))
                .forEach(type -> events.add(SimpleConditionEvent.violated(
                        shown, shown.getName() + " shows " + type.getName() + ": " + place)));
    }

    private static boolean isAccels(JavaClass type) {
        return type.getPackageName().equals("io.accel") || type.getPackageName().startsWith("io.accel.");
    }

    private static boolean isApi(JavaClass type) {
        return API.contains(type.getPackageName()) && isPublic(type);
    }

    /** Whether a type, and each type that it is nested in, is public. */
    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(PUBLIC)
                && type.getEnclosingClass().map(ShowTheApiAlone::isPublic).orElse(true);
    }
}
