import type { SidecarClient } from '../../../src/index.js'
import type { Players, PlayersOptions, Session, Sessions, SessionsOptions } from '../../../src/players/index.js'

/** Players as one writes them on a quiet afternoon: each call is awaited, and its answer taken for what happened. */
export function naivePlayers(client: SidecarClient, { list = 'players', counter }: PlayersOptions = {}): Players {
  const here = new Set<string>()
  const promised = new Set<string>()
  const forget = client.on('allocated', ({ lists }) => {
    for (const id of lists[list] ?? []) promised.add(id)
  })
  const count = (countDiff: number): void => {
    if (counter !== undefined) client.updateCounter(counter, { countDiff }).catch(() => {})
  }
  return {
    async join(id, options) {
      const outcome = promised.delete(id) ? 'expected' : 'joined'
      if (outcome === 'joined') await client.addListValue(list, id, options)
      here.add(id)
      count(1)
      return outcome
    },
    async leave(id) {
      if (!here.delete(id)) return 'absent'
      client.removeListValue(list, id).catch(() => {})
      count(-1)
      return 'left'
    },
    has: (id) => here.has(id),
    get ids() {
      return [...here]
    },
    get expected() {
      return [...promised]
    },
    full: false,
    on: () => () => {},
    close: forget,
  }
}

/** Sessions that count down until it is answered, as if no answer meant that nothing happened. */
export function naiveSessions(client: SidecarClient, { counter = 'rooms', onSession }: SessionsOptions): Sessions {
  const active = new Set<Session>()
  let started = 0
  const countDown = async (): Promise<void> => {
    for (let tries = 0; tries < 20; tries++) {
      try {
        await client.updateCounter(counter, { countDiff: -1 }, { timeout: 1000 })
        return
      } catch {
        // Once more.
      }
    }
  }
  const forget = client.on('allocated', (allocation) => {
    const session: Session = {
      id: `s${started++}`,
      allocation,
      async end() {
        active.delete(session)
        void countDown()
        return 'ended'
      },
      touch() {},
    }
    active.add(session)
    void onSession(session)
  })
  return {
    get active() {
      return [...active]
    },
    get started() {
      return started
    },
    full: false,
    on: () => () => {},
    close: forget,
  }
}
