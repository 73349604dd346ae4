import { expect, test } from 'vitest'
import type { GameServer } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { tellAll } from './told-objects.js'

/** A GameServer with that version, in other states if wanted, or another object altogether. */
function object(version: string, state = 'Ready', meta: Partial<GameServer['object_meta']> = {}): GameServer {
  const made = gameServer(1, state)
  return { ...made, object_meta: { ...made.object_meta, ...meta, resource_version: version } }
}

const summary = ({ object_meta, status }: GameServer): string => `${object_meta.resource_version} ${status.state}`

test.each([
  ['a newer version', object('8'), object('9')],
  ['a newer version with a digit more', object('9'), object('10')],
  ['a state that changes without a new version, as in local mode', object('7'), object('7', 'Allocated')],
  ['a state that changes with a version that is no number', object('v2'), object('v1', 'Allocated')],
  ['a lower version of another GameServer', object('9'), object('8', 'Ready', { uid: 'another' })],
  [
    'a lower version of a GameServer made later',
    object('9'),
    object('8', 'Ready', { creation_timestamp: '1800000000' }),
  ],
  ['a version that is no number after one that is', object('2'), object('1a')],
])('%s is told', async (_what, first, second) => {
  expect((await tellAll([first, second])).told).toEqual([first, second])
})

test.each([
  ['an older version', object('21'), object('19', 'Allocated')],
  ['an older version with a digit less', object('10'), object('9', 'Allocated')],
  ['the same object again', object('7'), object('7')],
])('%s is not told', async (_what, first, second) => {
  expect((await tellAll([first, second])).told.map(summary)).toEqual([summary(first)])
})
