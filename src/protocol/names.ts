/**
 * A metadata key that is safe behind the platform's prefix: the sidecar checks a key before it adds `sdk-`, so one of
 * 60 to 63 characters, or one with a slash, is accepted and then blocks every later write.
 */
export const metadataKey = /^[a-z\d]([-\w.]{0,57}[a-z\d])?$/i

/** A Kubernetes label value; an annotation may hold anything. */
export const labelValue = /^([a-z\d]([-\w.]{0,61}[a-z\d])?)?$/i

/** The largest annotation Kubernetes takes, in bytes, all annotations of an object together. */
export const annotationLimit = 262144

/** The longest reservation, in seconds, that doesn't overflow the sidecar's 64-bit nanoseconds. */
export const maxReserveSeconds = 9223372036

/** What stands before a key that was set through the sidecar. */
export function metadataPrefix(platform: string): string {
  return platform + '.dev/sdk-'
}
