import { buildIfStale } from '../../build/build-if-stale.mjs'

/** Builds `dist` once before the tests that use it, unless it is newer than everything it is made of. */
export async function setup(): Promise<void> {
  await buildIfStale()
}
