import { describe, expect, test } from 'vitest'
import type { GameServer } from '../../src/index.js'
import { gameServer } from '../support/fault-server-game-servers.js'
import { tellAll } from './told-objects.js'

/** A GameServer with that version, in other states if wanted, or another object altogether. */
function object(version: string, state = 'Ready', meta: Partial<GameServer['object_meta']> = {}): GameServer {
  const made = gameServer(1, state)
  return { ...made, object_meta: { ...made.object_meta, ...meta, resource_version: version } }
}

const summary = ({ object_meta, status }: GameServer): string => `${object_meta.resource_version} ${status.state}`

describe('of what a watch sends, listeners are told', () => {
  test.each([
    ['a newer version', object('8'), object('9')],
    ['a newer version that has a digit more', object('9'), object('10')],
    ['a newer version that no number holds', object('9007199254740993'), object('9007199254740994')],
    ['a version that stands still, with a state that changes alone', object('7'), object('7', 'Allocated')],
    [
      'a version that is no number and stands still, with a state that changes',
      object('v1'),
      object('v1', 'Allocated'),
    ],
    ['a lower version of a GameServer that was made anew', object('9'), object('8', 'Ready', { uid: 'another' })],
    [
      'a lower version of one that was made later',
      object('9'),
      object('8', 'Ready', { creation_timestamp: '1800000000' }),
    ],
    ['versions that begin with a letter, whatever follows', object('v2'), object('v1')],
    ['versions that end with a letter, whatever precedes', object('2a'), object('1a')],
    ['a version that is no number after one that is', object('2'), object('1a')],
    ['a version that is a number after one that is none', object('2a'), object('1')],
    ['versions that begin with a zero', object('02'), object('01')],
    ['an empty version', object('2'), object('')],
  ])('%s', async (_name, first, second) => {
    expect((await tellAll([first, second])).told).toEqual([first, second])
  })
})

describe('of what a watch sends, listeners are not told', () => {
  test.each([
    ['an older version', object('9'), object('8', 'Allocated')],
    ['an older version of two digits', object('21'), object('19', 'Allocated')],
    ['an older version that has a digit less', object('10'), object('9', 'Allocated')],
    ['the same object again', object('7'), object('7')],
    ['the same object again, without numbers', object('v1'), object('v1')],
  ])('%s', async (_name, first, second) => {
    expect((await tellAll([first, second])).told.map(summary)).toEqual([summary(first)])
  })

  test('the same object again with its keys in another order', async () => {
    const first = object('v1')
    const turned = Object.fromEntries(Object.entries(first.object_meta).reverse())
    const { told } = await tellAll([first, { status: first.status, spec: first.spec, object_meta: turned }])
    expect(told.length).toBe(1)
  })
})

describe('a result that is no GameServer is an error, and what follows is told', () => {
  const { object_meta, status } = object('7')
  test.each([
    ['nothing', null],
    ['a text', 'GameServer'],
    ['an empty object', {}],
    ['one without its status', { object_meta }],
    ['one without its metadata', { status }],
    ['one whose status is a text', { object_meta, status: 'Ready' }],
    ['one whose metadata is a text', { object_meta: 'mine', status }],
    ['one whose status is null', { object_meta, status: null }],
  ])('%s', async (_name, result) => {
    const { told, errors } = await tellAll([object('1'), result, object('2')])
    expect(told.map(summary)).toEqual(['1 Ready', '2 Ready'])
    expect(errors.map(({ code }) => code)).toEqual(['PROTOCOL'])
  })
})
