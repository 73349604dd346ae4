import type { GameServer } from '../../src/protocol/game-server.js'

/**
 * Text that wrong slicing breaks: characters of one to four bytes, a combining mark, both line separators and a NUL.
 */
export const difficultText = 'aé€𝄞 e\u0301 \u2028\u2029 \u0000 "\\ 日本語 👩‍👩‍👧‍👦'

/** A GameServer as production sends it. Its `resource_version` identifies it. */
export function gameServer(version: number, state = 'Ready', labels: Record<string, string> = {}): GameServer {
  return {
    object_meta: {
      name: 'scripted',
      namespace: 'default',
      uid: '5e1f',
      resource_version: String(version),
      generation: String(version),
      creation_timestamp: '1700000000',
      deletion_timestamp: '0',
      annotations: { text: difficultText },
      labels,
    },
    spec: { health: { disabled: false, period_seconds: 5, failure_threshold: 3, initial_delay_seconds: 5 } },
    status: {
      state,
      address: '127.0.0.1',
      addresses: [],
      ports: [{ name: 'default', port: 7777 }],
      players: null,
      counters: {},
      lists: {},
    },
  }
}

/** As `gameServer`, padded with an annotation so that its JSON is at least `size` bytes long. */
export function paddedGameServer(version: number, size: number): GameServer {
  const padded = gameServer(version)
  padded.object_meta.annotations = { text: difficultText, padding: 'p'.repeat(size) }
  return padded
}
