// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The C name of a class or constant. On a class of offsets it is the type, {@code struct ibv_wc}. On a class of
 * constants or an enum it is the prefix of all of them, {@code IBV_WC_}. On a field it is the expression, {@code
 * wr.rdma.rkey}, where the field's own name in lower case is not that. The test that compares with the headers goes
 * by it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.FIELD})
@interface CName {
    String value();
}
