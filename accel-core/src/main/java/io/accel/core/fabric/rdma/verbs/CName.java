package io.accel.core.fabric.rdma.verbs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a class or constant is called in C. On a class of offsets: the type, {@code struct ibv_wc}. On a class of
 * constants or an enum: the prefix of all of them, {@code IBV_WC_}. On a field: the expression that the field's own name
 * in lower case is not, {@code wr.rdma.rkey}. The test that compares with the headers goes by it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.FIELD})
@interface CName {
    String value();
}
