import { describe, expect, test, vi } from 'vitest'
import { createClient } from '../../src/index.js'
import { trackPlayers, trackSessions, type PlayersOptions } from '../../src/players/index.js'
import { fate, play } from './players-support.js'

describe('players, wrong input', () => {
  test.each([
    [{ capacity: 0 }, 'capacity must be above 0; got 0'],
    [{ capacity: NaN }, 'capacity must be above 0; got NaN'],
    [{ noShow: 0 }, 'noShow must be above 0; got 0'],
    [{ noshow: 3 }, 'There is no option "noshow". Did you mean noShow?'],
    [null, 'options must be an object; got null'],
  ])('options %j are refused: %s', (options, message) => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1' })
    expect(() => trackPlayers(client, options as PlayersOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(message) as string }),
    )
    client.close()
  })

  test.each([undefined, null, {}, { list: 'players' }])(
    'a client that is %j is refused, whatever the options',
    (client) => {
      const error = expect.objectContaining({
        code: 'CONFIG',
        message: expect.stringContaining('client must be what createClient() gave; got ') as string,
      }) as Error
      expect(() => trackPlayers(client as never)).toThrow(error)
      expect(() => trackSessions(client as never, { onSession: () => {} })).toThrow(error)
    },
  )

  test('ids that cannot be right are refused, and nothing is written', async () => {
    const { mock, players, calls } = await play()
    for (const id of ['', 'x'.repeat(257), 3, undefined] as string[]) {
      await expect(players.join(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'join' })
      await expect(players.leave(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'leave' })
    }
    await expect(players.join('ann', { timout: 3 } as object)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await mock.advance(2000)
    expect(calls()).toEqual([])
  })

  test('one who is here, or is joining, does not join twice', async () => {
    const { mock, players, calls } = await play()
    const first = fate(players.join('ann'))
    await expect(players.join('ann')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    await mock.advance(1000)
    expect(first.now).toBe('joined')
    await expect(players.join('ann')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    expect(calls()).toEqual(['addListValue ann'])
  })

  test('an event that does not exist is refused', async () => {
    const { players } = await play()
    expect(() => players.on('join' as 'joined', () => {})).toThrow('There is no event "join"')
  })

  test.each([
    [{ list: 'seats' }, '  lists:\n    seats:\n      capacity: 16'],
    [{ counter: 'heads', capacity: 8 }, '  counters:\n    heads:\n      capacity: 8'],
  ])(
    '%j that the GameServer lacks is one error with the YAML to add, and every join rejects with it',
    async (options, yaml) => {
      const { mock, players, errors, calls } = await play(options)
      await expect(players.join('ann')).rejects.toMatchObject({ code: 'NOT_FOUND', operation: 'join' })
      mock.control({ type: 'setLabel', key: 'a', value: 'b' })
      await mock.advance(1000)
      await expect(players.join('bob')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(errors.map(({ code }) => code)).toEqual(['NOT_FOUND'])
      expect(errors[0]!.hint).toContain('spec:\n' + yaml)
      expect(calls()).toEqual([])
    },
  )

  test.each([{ list: '' }, { counter: '' }, { counter: 3 as never }])(
    'a list or counter of which there can be none by that name, %j, is one error, and every join rejects with it',
    async (options) => {
      const { players, errors, calls } = await play(options)
      await expect(players.join('ann')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'join' })
      expect(errors.map(({ code }) => code)).toEqual(['INVALID_ARGUMENT'])
      expect(calls()).toEqual([])
    },
  )

  test('a list that comes later is used', async () => {
    const { mock, players } = await play({ list: 'seats' })
    mock.control({ type: 'setList', name: 'seats', values: [], capacity: 2 })
    await mock.advance(100)
    const join = fate(players.join('ann'))
    await mock.advance(1000)
    expect(join.now).toBe('joined')
  })

  test('without the feature gate each join says so', async () => {
    const { players, errors } = await play({ mock: { featureGates: { CountsAndLists: false } } })
    await expect(players.join('ann')).rejects.toMatchObject({ code: 'FEATURE_DISABLED' })
    expect(errors.map(({ code }) => code)).toEqual(['FEATURE_DISABLED'])
  })

  test('an error that nobody listens to is logged', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    try {
      const { mock, client } = await play()
      trackPlayers(client, { list: 'nope' })
      await mock.advance(100)
      expect(warn.mock.calls.flat()).toEqual([expect.stringContaining('This GameServer has no list "nope"')])
    } finally {
      warn.mockRestore()
    }
  })
})
