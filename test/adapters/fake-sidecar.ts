import { gameServer } from '../support/game-server.js'
import type { ClientOptions, FetchLike } from '../../src/index.js'

/** Options for a client without timers whose sidecar answers everything at once; `beats` counts its beats. */
export function fakeSidecar(): { options: ClientOptions; beats: () => number; pass: (ms: number) => void } {
  let beats = 0
  let now = 0
  const fetch: FetchLike = async (url) => {
    if (url.endsWith('/health')) beats += 1
    return {
      status: 200,
      headers: { get: () => null },
      text: async () => (url.endsWith('/gameserver') ? JSON.stringify(gameServer()) : '{}'),
    }
  }
  return {
    options: { baseUrl: 'http://sidecar', fetch, scheduler: false, now: () => now },
    beats: () => beats,
    pass: (ms) => {
      now += ms
    },
  }
}
