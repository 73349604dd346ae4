import { operations } from '../../../protocol/operations.js'

/** Paths of operations without a key, and what those with a key begin with. */
const paths = Object.values(operations).map(([, path]) => path.split('{')[0]!)

/**
 * Whether a target is one of the sidecar's or the gateway's paths, which players never reach. Nothing but a player's
 * connection is behind any target here, so this only tells a program that it talks to the wrong port.
 */
export function isReserved(target: string): boolean {
  const path = decode(target.split('?')[0]!).replace(/\/{2,}/g, '/')
  return (
    path.startsWith('/_/') || paths.some((other) => (other.endsWith('/') ? path.startsWith(other) : path === other))
  )
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
