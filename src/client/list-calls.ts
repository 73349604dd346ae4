import type { GameServer } from '../protocol/game-server.js'
import type { Answer, Send } from './calls.js'
import { type SidecarError } from './errors.js'
import { equal, own } from './game-server.js'
import type { Resources } from './resources.js'
import type { Timers } from './timers.js'
import type { AbortSignalLike } from './types.js'

/** ms between two looks at whether the sidecar has written what it has accepted. */
const SETTLE_INTERVAL = 200

export type ListChange = 'addListValue' | 'removeListValue'

/** The changes of lists, as the sidecars since 1.50 need them. Each runs while no other changes the same list. */
export interface ListCalls {
  change(signal: AbortSignalLike, operation: ListChange, list: string, name: string, body: object): Promise<Answer>
  /** @param name the encoded name of the list */
  update(signal: AbortSignalLike, list: string, name: string, body: Record<string, unknown>): Promise<object>
}

export interface ListCallParts {
  readonly send: Send
  readonly timers: Timers
  readonly resources: Resources
}

export function createListCalls({ send, timers, resources: { toList } }: ListCallParts): ListCalls {
  /** Lists that a sidecar up to 1.52.2 has added to: it undoes a removal until it has written the addition. */
  const unwritten = new Set<string>()

  const read = async (signal: AbortSignalLike, name: string): Promise<object> =>
    (await send(signal, 'getList', {}, name)).body

  async function whenWritten(signal: AbortSignalLike, list: string, name: string): Promise<void> {
    for (;;) {
      const { values, capacity } = toList(list, await read(signal, name))
      const { body } = await send(signal, 'getGameServer')
      const written = own((body as unknown as GameServer).status.lists, list)
      if (written && equal([values, String(capacity)], [written.values ?? [], written.capacity])) return
      await timers.sleep(signal, SETTLE_INTERVAL)
    }
  }

  /** Makes the values by single changes, which the sidecar's role always allows. */
  async function changeEach(signal: AbortSignalLike, list: string, name: string, wanted: string[]): Promise<void> {
    const { values } = toList(list, await read(signal, name))
    const changeAll = async (operation: ListChange, some: string[]): Promise<void> => {
      for (const value of some) await calls.change(signal, operation, list, name, { value })
    }
    await changeAll(
      'removeListValue',
      values.filter((value) => !wanted.includes(value)),
    )
    await changeAll(
      'addListValue',
      wanted.filter((value) => !values.includes(value)),
    )
  }

  const calls: ListCalls = {
    async change(signal, operation, list, name, body) {
      if (operation === 'removeListValue' && unwritten.has(list)) {
        await whenWritten(signal, list, name)
        unwritten.delete(list)
      }
      const answer = await send(signal, operation, body, name)
      if (answer.unread || answer.body.name) return answer
      if (operation === 'addListValue') unwritten.add(list)
      return { body: (await read(signal, name)) as Answer['body'], unread: false }
    },

    async update(signal, list, name, body) {
      // Up to 1.58, `updateList` of an unknown list ends the sidecar; in all, it drops changes that aren't written yet.
      await whenWritten(signal, list, name)
      try {
        await send(signal, 'updateList', body, `${name}?updateMask=${Object.keys(body).join(',')}`)
      } catch (error) {
        if ((error as SidecarError).code !== 'FORBIDDEN' || body.capacity !== undefined) throw error
        await changeEach(signal, list, name, body.values as string[])
      }
      return read(signal, name)
    },
  }
  return calls
}
