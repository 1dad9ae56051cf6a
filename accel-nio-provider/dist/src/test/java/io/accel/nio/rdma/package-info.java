// SPDX-License-Identifier: Apache-2.0
/**
 * Plain {@code java.nio} programs in processes of their own, over RDMA. They need a device, which {@code samples/lab/junit}
 * provides.
 */
package io.accel.nio.rdma;
