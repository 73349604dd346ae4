import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.js'
import { trackPlayers, trackSessions, type PlayersOptions, type SessionsOptions } from '../../src/players/index.js'
import { fate, playPlayers as play, playSessions } from './play.js'

describe('invalid options', () => {
  const onSession = (): void => {}
  const client = createClient({ baseUrl: 'http://127.0.0.1:1' })
  afterAll(() => client.close())
  const refused = (message: string) =>
    expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(message) as string }) as Error

  test.each<[options: unknown, message: string]>([
    [{ noShow: 0 }, 'noShow must be above 0; got 0'],
    [{ endWhenEmpty: { afer: 3 } }, 'There is no endWhenEmpty option "afer". Did you mean "after"?'],
    [{ noshow: 3 }, 'There is no option "noshow". Did you mean "noShow"?'],
    [null, 'options must be an object; got null'],
  ])('%j of players is refused: %s', (options, message) => {
    expect(() => trackPlayers(client, options as PlayersOptions)).toThrow(refused(message))
  })

  test.each<[options: unknown, message: string]>([
    [{ onSession, maxSession: 2 }, 'There is no option "maxSession". Did you mean "maxSessions"?'],
    [{ onSession, thenShutdown: 'first' }, 'thenShutdown must be above 0 or "last"; got "first"'],
    [{ onSession, idle: NaN }, 'idle must be above 0; got NaN'],
    [{}, 'onSession must be a function; got undefined'],
    [undefined, 'options must be an object; got undefined'],
  ])('%j of sessions is refused: %s', (options, message) => {
    expect(() => trackSessions(client, options as SessionsOptions)).toThrow(refused(message))
  })

  test.each([undefined, { list: 'players' }])('%j as a client is refused', (given) => {
    const error = refused('client must be what createClient() gave; got ')
    expect(() => trackPlayers(given as never)).toThrow(error)
    expect(() => trackSessions(given as never, { onSession })).toThrow(error)
  })
})

describe('players with invalid input', () => {
  test('invalid ids are refused, and nothing is written', async () => {
    const { mock, players, calls } = await play()
    for (const id of ['', 'x'.repeat(257), 3, undefined] as string[]) {
      await expect(players.join(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'join' })
      await expect(players.leave(id)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'leave' })
    }
    await expect(players.join('ann', { timout: 3 } as object)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await mock.advance(2000)
    expect(calls()).toEqual([])
  })

  test('a player who is here or joining can’t join twice', async () => {
    const { mock, players, calls } = await play()
    const first = fate(players.join('ann'))
    await expect(players.join('ann')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    await mock.advance(1000)
    expect(first.now).toBe('joined')
    await expect(players.join('ann')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    expect(calls()).toEqual(['addListValue ann'])
  })

  test.each([
    [{ list: 'seats' }, '  lists:\n    seats:\n      capacity: 16'],
    [{ counter: 'heads', capacity: 8 }, '  counters:\n    heads:\n      capacity: 8'],
  ])(
    'for %j that the GameServer lacks, one error shows the YAML to add, and every join rejects with it',
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

  test('a list that is added later is used', async () => {
    const { mock, seat } = await play({ list: 'seats' })
    mock.control({ type: 'setList', name: 'seats', values: [], capacity: 2 })
    await mock.advance(100)
    await seat('ann')
  })

  test('without the feature gate CountsAndLists each join rejects, and the error names the gate', async () => {
    const { players, errors } = await play({ mock: { featureGates: { CountsAndLists: false } } })
    await expect(players.join('ann')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(errors).toMatchObject([
      { hint: expect.stringMatching(/switch on the feature gate CountsAndLists$/) as string },
    ])
  })
})

describe('sessions of a GameServer that can’t count sessions', () => {
  test('for a missing counter one error shows the YAML to add, and sessions still start', async () => {
    const { mock, sessions, errors } = await playSessions({ counter: 'matches', maxSessions: 4 })
    mock.allocate()
    await mock.advance(1000)
    expect(errors).toMatchObject([{ code: 'NOT_FOUND' }])
    expect(errors[0]!.hint).toContain('spec:\n  counters:\n    matches:\n      capacity: 4')
    expect(sessions.active).toHaveLength(1)
  })
})
