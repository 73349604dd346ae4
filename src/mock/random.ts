import { nextRandom } from '../sidecar/model/state/random.js'

/** Numbers from 0 up to 1 that follow from a seed. */
export function createRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    const next = nextRandom(state)
    state = next.state
    return next.value
  }
}
