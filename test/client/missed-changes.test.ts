import { expect, onTestFinished, test } from 'vitest'
import type { GameServer } from '../../src/index.js'
import { hurried } from '../faults/manual-clock.js'
import { observe } from '../faults/observe.js'
import { createScriptedSidecar } from '../support/fault-server.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { sending } from '../support/fault-server-steps.js'

/** Waits of seconds take a twentieth of it. */
const clock = hurried(20)

const before = gameServer(1)
const { object_meta, status } = before

const changes: readonly [what: string, after: GameServer, watches: number][] = [
  ['a state that changes alone', { ...before, status: { ...status, state: 'Allocated' } }, 2],
  ['a label that changes alone', { ...before, object_meta: { ...object_meta, labels: { a: 'b' } } }, 2],
  ['a state and a label', gameServer(2, 'Allocated', { a: 'b' }), 2],
  // In its local mode the sidecar's watch says nothing of these, however often it is opened.
  ['a counter', { ...before, status: { ...status, counters: { rooms: { count: '1', capacity: '2' } } } }, 1],
]

test.each(changes)('%s that the watch keeps to itself is found by a check', async (_what, after, watches) => {
  const sidecar = await createScriptedSidecar([{ on: 'watch', nth: 1, step: sending([before]) }])
  sidecar.publish(before)
  const { client, seen, until, gameServers } = observe({
    ...clock.options,
    baseUrl: sidecar.url,
    watch: 'stream',
    verifyInterval: 2000,
  })
  onTestFinished(async () => {
    client.close()
    await sidecar.close()
  })
  const count = (path: string): number => sidecar.requests.filter((request) => request.path === path).length
  await seen(1)
  await until(() => client.status.connection === 'connected', 'the watch')
  sidecar.publish(after)
  await until(() => gameServers.length === 2, 'the change')
  expect(gameServers).toEqual([before, after])
  // A watch that missed something is opened anew; one that has told all it can stays.
  await sidecar.until(() => count('/watch/gameserver') === watches, `${watches} watches`)
  const checks = count('/gameserver')
  await sidecar.until(() => count('/gameserver') > checks + 1, 'the next checks')
  expect(count('/watch/gameserver')).toBe(watches)
  expect(gameServers.length).toBe(2)
})
