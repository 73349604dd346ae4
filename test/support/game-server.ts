import type { GameServer } from '../../src/protocol/game-server.js'

/**
 * Text that wrong slicing breaks: characters of one to four bytes, a combining mark, both line separators and a NUL.
 */
export const difficultText = 'aé€𝄞 e\u0301 \u2028\u2029 \u0000 "\\ 日本語 👩‍👩‍👧‍👦'

/** Members of a GameServer's metadata and status, and its rules for beats. */
export type Changes = Partial<
  GameServer['object_meta'] & Pick<GameServer['status'], 'state' | 'address' | 'counters' | 'lists'>
> & { health?: object }

/** A GameServer as production sends it, with these members in place of its own. */
export function gameServer(version: number | string = 1, changes: Changes = {}): GameServer {
  const { state = 'Ready', address = '127.0.0.1', counters = {}, lists = {}, health, ...meta } = changes
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
      labels: {},
      ...meta,
    },
    spec: { health: { disabled: false, period_seconds: 5, failure_threshold: 3, initial_delay_seconds: 5, ...health } },
    status: {
      state,
      address,
      addresses: [],
      ports: [{ name: 'default', port: 7777 }],
      players: null,
      counters,
      lists,
    },
  }
}

/** One whose JSON is at least `size` bytes long. */
export const paddedGameServer = (version: number, size: number): GameServer =>
  gameServer(version, { annotations: { text: difficultText, padding: 'p'.repeat(size) } })
