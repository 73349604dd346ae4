/**
 * Matches metadata keys that stay valid behind the platform's prefix. The sidecar checks a key before it adds `sdk-`,
 * so it accepts keys of 60 to 63 characters, and keys with a slash, which then block every later write.
 */
export const metadataKey = /^[a-z\d]([-\w.]{0,57}[a-z\d])?$/i

/** Matches a Kubernetes label's value. An annotation's value may be any text. */
export const labelValue = /^([a-z\d]([-\w.]{0,61}[a-z\d])?)?$/i

/** The most bytes that Kubernetes accepts for all annotations of an object together. */
export const annotationLimit = 262144

/** The highest capacity of a list in a cluster. */
export const highestCapacity = 1000

/** The longest reservation, in seconds, that doesn't overflow the sidecar's 64-bit nanoseconds. */
export const maxReserveSeconds = 9223372036

/** The prefix of keys that were set through the sidecar. */
export function metadataPrefix(platform: string): string {
  return platform + '.dev/sdk-'
}

/** The annotation that holds the time of the last allocation. */
export function lastAllocatedAnnotation(platform: string): string {
  return platform + '.dev/last-allocated'
}

/** The longest time in milliseconds that timers of hosts take; a longer one would fire at once. */
export const longestTimer = 2 ** 31 - 1
