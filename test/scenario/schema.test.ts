import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { scenarioSchema } from '../../build/scenario-schema.js'
import { readScenario } from '../../src/node/scenario/load-scenario.js'
import { commandProblem } from '../../src/schema/control-command.js'
import type { ControlCommand } from '../../src/sidecar/index.js'

const accepts = new Ajv({ allowUnionTypes: true }).compile(scenarioSchema as object)

function isRead(value: unknown): boolean {
  try {
    readScenario(value)
    return true
  } catch {
    return false
  }
}

/** One command of each type with all its fields. */
const commands: Readonly<Record<ControlCommand['type'], object>> = {
  allocate: {
    labels: { mode: 'dm' },
    annotations: { note: 'x' },
    counters: { rooms: { action: 'Increment', amount: 1, capacity: '5' } },
    lists: { players: { addValues: ['a'], deleteValues: ['b'], capacity: 5 } },
    force: true,
  },
  setState: { state: 'Ready' },
  setLabel: { key: 'a', value: null },
  setAnnotation: { key: 'a', value: 'b' },
  setCounter: { name: 'rooms', count: 1, capacity: '2' },
  setList: { name: 'players', values: ['a'], capacity: 2 },
  ignoreBeats: { on: true, count: 3 },
  makeUnhealthy: {},
  dropWatchers: { ids: [1], everyMs: 100 },
  stallWatchers: { ms: 5 },
  releaseWatchers: {},
  delayCalls: { ms: 5, jitterMs: 1, operations: ['ready'], when: 'after' },
  failCalls: {
    status: 503,
    message: 'no',
    operations: ['ready'],
    count: 1,
    drop: true,
    apply: true,
    share: 0.5,
    retryAfter: 1,
  },
  loseWrites: { count: 1 },
  apiServer: { away: true, ms: 5 },
  clearFaults: {},
  padObject: { bytes: 5 },
  restart: { fresh: true, downMs: 5 },
  reload: { gameServer: {} },
  delete: { graceMs: 5 },
  terminate: { graceMs: 5 },
  setClock: { speed: 2 },
  advanceClock: { ms: 5 },
}

const withStep = (step: object): object => ({ steps: [step] })

describe('the schema for editors and the reader agree', () => {
  test.each(Object.entries(commands))('about the command %s, its fields and wrong ones', (type, fields) => {
    const command = { type, ...fields }
    expect(commandProblem(command)).toBeUndefined()
    const variants: object[] = [command, { ...command, unknown: 1 }]
    for (const [name, value] of Object.entries(fields)) {
      const wrong = typeof value === 'object' && value !== null && !Array.isArray(value) ? 'text' : {}
      const { [name]: _, ...without } = command as Record<string, unknown>
      variants.push({ ...command, [name]: wrong }, without)
      if (typeof value === 'number') {
        for (const number of [-1, 0, 0.5, 1, 99, 1e8, 1e12]) variants.push({ ...command, [name]: number })
      }
    }
    for (const variant of variants) {
      const isCommand = commandProblem(variant) === undefined
      const scenario = withStep({ control: variant })
      expect({ variant, schema: accepts(scenario), reader: isRead(scenario) }).toEqual({
        variant,
        schema: isCommand,
        reader: isCommand,
      })
    }
  })

  test.each<[string, boolean, unknown]>([
    [
      'every field of an expectation',
      true,
      withStep({
        name: 'n',
        at: '+1s',
        expect: {
          within: '500ms',
          state: 'Ready',
          call: 'setLabel',
          with: { key: 'a', value: 'b' },
          status: 200,
          label: { a: null },
          annotation: { a: 'b' },
          counter: { a: 1, b: { count: '1', capacity: 2 } },
          list: { a: ['b'], c: { contains: ['d'], lacks: ['e'], size: 1, capacity: 2 } },
          watchers: 0,
          warning: 'poison-label',
          exit: 0,
        },
      }),
    ],
    ['a short allocation', true, withStep({ allocate: { labels: { a: 'b' } }, refused: true })],
    ['a GameServerAllocation', true, withStep({ allocate: { kind: 'GameServerAllocation', spec: { selectors: [] } } })],
    ['a preset', true, withStep({ fault: 'flaky Wi-Fi' })],
    ['terminate with a grace', true, withStep({ terminate: { graceMs: 5 } })],
    ['advance and wait', true, { time: 'x10', gameServer: './a.yaml', steps: [{ advance: '1.5s' }, { wait: '2m' }] }],
    ['no step', false, { steps: [] }],
    ['a duration without a unit', false, withStep({ wait: '5' })],
    ['an unknown state', false, withStep({ expect: { state: 'ready' } })],
    ['a counter that is true', false, withStep({ expect: { counter: { a: true } } })],
    ['an empty expectation', false, withStep({ expect: { within: '5s' } })],
    ['a speed of 0', false, { time: 'x0', steps: [{ wait: '1s' }] }],
  ])('about %s', (_, isFine, value) => {
    expect({ schema: accepts(value), reader: isRead(value) }).toEqual({ schema: isFine, reader: isFine })
  })
})
