import { buildIfStale } from '../../build/build-if-stale.mjs'

/** Builds `dist` before the tests that use it, unless it is newer than all of its sources. */
export async function setup(): Promise<void> {
  await buildIfStale()
}
