import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import type { SidecarClient } from '../../src/index.js'
import { createMock } from '../../src/mock/index.js'
import type { Mock, MockOptions } from '../../src/mock/index.js'
import { runScenario, ScenarioFailure } from '../../src/node/index.js'
import type { Scenario, ScenarioResult } from '../../src/node/index.js'
import { startSidecar } from '../support/with-sidecar.js'

const gameServer = {
  spec: { counters: { rooms: { count: 0, capacity: 10 } }, lists: { players: { capacity: 4, values: ['zoe'] } } },
}

type Steps = Scenario['steps']
type Prepare = (client: SidecarClient) => void

function mockAndClient(options: MockOptions = {}): { mock: Mock; client: SidecarClient } {
  const mock = createMock(options)
  const client = createClient(mock.options)
  onTestFinished(() => {
    client.close()
    mock.close()
  })
  return { mock, client }
}

/** Plays steps with a Ready GameServer of a mock, whose client watches. */
async function play(steps: Steps, prepare?: Prepare): Promise<ScenarioResult> {
  const { mock, client } = mockAndClient({ gameServer })
  client.on('gameserver', () => undefined)
  await client.ready()
  await mock.advance(2_000)
  prepare?.(client)
  return runScenario({ steps }, mock)
}

async function failureOf(steps: Steps, prepare?: Prepare): Promise<ScenarioFailure> {
  const error: unknown = await play(steps, prepare).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ScenarioFailure)
  return error as ScenarioFailure
}

const statuses = ({ steps }: ScenarioResult): string[] => steps.map(({ status }) => status)

describe('a scenario', () => {
  test('passes if everything in its expectations becomes true in time', async () => {
    const result = await play(
      [
        { expect: { state: 'Ready' } },
        { allocate: { labels: { mode: 'dm' }, lists: { players: { addValues: ['ann'] } } } },
        { expect: { call: 'updateCounter', with: { key: 'rooms', countDiff: 1 }, status: 200 } },
        {
          expect: {
            state: 'Allocated',
            label: { mode: 'dm', map: null },
            counter: { rooms: { count: 1, capacity: 10 } },
            list: { players: { contains: ['ann'], lacks: ['bob'], size: 2, capacity: 4 } },
            watchers: 1,
          },
        },
        { expect: { list: { players: ['zoe', 'ann'] }, counter: { rooms: '1' } } },
      ],
      (client) =>
        client.on('state', ({ state }) => {
          if (state === 'Allocated') void client.updateCounter('rooms', { countDiff: 1 })
        }),
    )
    expect(statuses(result)).toEqual(Array(5).fill('passed'))
  })

  test.each<[string, Scenario['steps'][number], string, string]>([
    ['a state', { expect: { state: 'Reserved', within: '0s' } }, 'state Reserved within 0 ms', 'state Ready'],
    ['a label', { expect: { label: { mode: 'dm' }, within: '0s' } }, 'label mode=dm within 0 ms', 'no labels'],
    [
      'no such counter',
      { expect: { counter: { room: 3 }, within: '0s' } },
      'counter room within 0 ms',
      'counters rooms',
    ],
    [
      'a value of a list',
      { expect: { list: { players: { lacks: ['zoe'] } }, within: '0s' } },
      'list players without zoe within 0 ms',
      'list players [zoe]',
    ],
    ['watchers', { expect: { watchers: 7, within: '0s' } }, 'watchers 7 within 0 ms', 'watchers 1'],
    [
      'a warning',
      { expect: { warning: 'poison-label', within: '0s' } },
      'warning poison-label within 0 ms',
      'no warning',
    ],
    ['an exit', { expect: { exit: 0, within: '0s' } }, 'exit code 0 within 0 ms', 'the command is still running'],
    ['a call', { expect: { call: 'shutdown', within: '0s' } }, 'call shutdown within 0 ms', 'only'],
    ['no call', { expect: { noCall: 'ready' } }, 'no call ready', 'call ready'],
    ['a refusal', { allocate: {}, refused: true }, 'a refusal', 'it was accepted'],
    ['a command', { control: { type: 'setState', state: 'Ready' }, refused: true }, 'a refusal', 'it was accepted'],
  ])('fails on %s that is not as expected, and says what was there', async (_, step, expected, actual) => {
    const { message, result } = await failureOf([step, { wait: '1h' }])
    expect(result.steps[0]!.failure).toEqual({ expected, actual: expect.stringContaining(actual) })
    expect(statuses(result)).toEqual(['failed', 'skipped'])
    expect(message).toContain(`step 1, `)
    expect(message).toContain(`expected ${expected}`)
  })

  test('a call with other fields is reported', async () => {
    const { result } = await failureOf(
      [{ wait: '1ms' }, { expect: { call: 'setLabel', with: { value: 'b' }, within: '2s' } }],
      (client) => void client.setLabel('map', 'a'),
    )
    expect(result.steps[1]!.failure!.actual).toBe('call setLabel with key=map, value=a, answered by 200')
  })

  test('each call meets one expectation, in any order, and calls before the last action meet none', async () => {
    const { result } = await failureOf(
      [
        { wait: '1ms' },
        { expect: { call: 'setAnnotation' } },
        { expect: { call: 'setLabel', with: { key: 'b' } } },
        { expect: { call: 'setLabel', with: { key: 'a' } } },
        { expect: { call: 'setLabel', within: '0s' } },
      ],
      (client) => {
        void client.setLabel('a', '1')
        void client.setLabel('b', '1')
        void client.setAnnotation('c', '1')
      },
    )
    expect(statuses(result)).toEqual(['passed', 'passed', 'passed', 'passed', 'failed'])
    expect(result.steps[4]!.failure!.actual).toBe('no further call of it')

    const { message } = await failureOf([
      { expect: { call: 'ready', within: '0s' } },
      { control: { type: 'dropWatchers' } },
      { expect: { call: 'ready', within: '0s' } },
    ])
    expect(message).toMatch(/^step 3, /)
  })

  test('a refusal says why', async () => {
    const { message } = await failureOf([
      { control: { type: 'setState', state: 'Reserved' } },
      { allocate: {}, refused: true },
      { allocate: { spec: { selectors: [{ matchLabels: { mode: 'dm' } }] } } },
    ])
    expect(message).toMatch(/^step 3, .*label mode is not set/)
  })
})

describe('the clock of a local sidecar', () => {
  test('runs faster, and durations follow it', async () => {
    const local = await startSidecar()
    local.control({ type: 'setClock', speed: 1000 })
    const { ms } = await runScenario(
      { steps: [{ wait: '10m' }, { at: '+10m', expect: { state: 'Scheduled' } }] },
      local,
    )
    expect(ms).toBeGreaterThanOrEqual(1_200_000)
  })
})

describe('a scenario with a mock', () => {
  test('takes its time from the mock, so that an hour is over at once', async () => {
    const { mock, client } = mockAndClient()
    await client.ready()
    const { ms, steps } = await runScenario(
      {
        gameServer: { spec: { health: { disabled: true } } },
        steps: [
          { control: { type: 'setState', state: 'Ready' } },
          { wait: '30m' },
          { at: '40m', advance: '10m' },
          { at: '+10m', expect: { state: 'Ready' } },
        ],
      },
      mock,
    )
    expect(steps.map(({ at }) => at / 60_000)).toEqual([0, 0, 40, 60])
    expect(ms).toBe(3_600_000)
  })

  test('a game without beats becomes Unhealthy, and a command that the mock refuses is a failed step', async () => {
    const { mock, client } = mockAndClient()
    await client.ready()
    await mock.advance(1000)
    await client.health()
    await runScenario({ steps: [{ expect: { state: 'Unhealthy', within: '60s' } }] }, mock)
    const refused = runScenario({ steps: [{ allocate: {} }] }, mock)
    await expect(refused).rejects.toThrow(/expected it to be accepted; got .*Unhealthy/)
  })
})
