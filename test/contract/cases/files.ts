import type { Answer, WireCase } from '../support/wire-case.js'
import {
  badMask,
  call,
  fileGameServer,
  localGameServer,
  malformed,
  ok,
  refused,
  step,
  texts,
} from '../support/wire-case.js'
import { full as noRoom, range } from './lists.js'

/** A GameServer that a sidecar is started with. */
export const full = `apiVersion: agones.dev/v1
kind: GameServer
metadata:
  {name: mine, namespace: games, uid: abc, resourceVersion: "77", generation: 9, labels: {mode: duel}, annotations: {note: "one: two"}}
spec:
  health: {periodSeconds: 2, failureThreshold: 3, initialDelaySeconds: 4}
status:
  state: Allocated
  address: 192.0.2.7
  addresses:
  - type: InternalIP
    address: 192.0.2.8
  ports: [{name: udp, port: 7001}, {name: tcp, port: 7002}]
  counters:
    lives: {count: 3, capacity: 4}
  lists:
    teams: {capacity: 5, values: [red, blue]}
`

/** With a list called players. */
const withPlayers = (capacity: number): string =>
  full.replace('    teams:', `    players: {capacity: ${capacity}, values: []}\n    teams:`)

const specOnly = `metadata: {name: spec-only}
spec:
  health: {disabled: true}
  counters: {rooms: {count: 1, capacity: 5}}
  lists: {players: {capacity: 5}}
  template: {spec: {containers: []}}
`

const times = `metadata:
  {name: time, creationTimestamp: "2024-01-02T03:04:05Z", deletionTimestamp: "2024-01-02T03:04:06Z", labels: {a: "1"}}
status: {state: Reserved, players: {count: 1, capacity: 5, ids: [x]}, nodeName: here}
spec: {scheduling: Packed}
`

const outOfRange = `metadata: {name: counts}
status:
  counters:
    neg: {count: -1, capacity: -5}
    over: {count: 9, capacity: 3}
    big: {count: 9223372036854775807, capacity: 9223372036854775807}
    none: {}
  lists:
    over: {capacity: 1, values: [a, b]}
    dup: {capacity: 9, values: [a, a]}
    none: {}
    players: {capacity: 2000}
`

const fullGameServer = (meta: object, status: object): Record<string, unknown> =>
  fileGameServer(
    {
      name: 'mine',
      namespace: 'games',
      uid: 'abc',
      resource_version: '77',
      generation: '9',
      annotations: { note: 'one: two' },
      labels: { mode: 'duel' },
      ...meta,
    },
    {
      state: 'Allocated',
      address: '192.0.2.7',
      addresses: [{ type: 'InternalIP', address: '192.0.2.8' }],
      ports: [
        { name: 'udp', port: 7001 },
        { name: 'tcp', port: 7002 },
      ],
      ...status,
    },
    { period_seconds: 2, failure_threshold: 3, initial_delay_seconds: 4 },
  )

const counters = { lives: { count: '3', capacity: '4' } }
const lists = { teams: { capacity: '5', values: ['red', 'blue'] } }
const counter = (name: string, count: number | string, capacity: number | string): Answer =>
  ok({ name, count: `${count}`, capacity: `${capacity}` })
const list = (name: string, capacity: number, ...values: string[]): Answer =>
  ok({ name, capacity: `${capacity}`, values })
const range64 = (count: number | string, capacity: number | string): Answer =>
  refused(`out of range. Count must be within range [0,Capacity]. Found Count: ${count}, Capacity: ${capacity}`)
const get = (path: string, expect: Answer) => step(`GET ${path}`, undefined, expect)
const patch = (path: string, body: string, expect: Answer) => step(`PATCH /v1beta1/${path}`, body, expect)
const gameServer = (value: unknown) => get('/gameserver', ok(value))
const noCounter = get('/v1beta1/counters/rooms', refused('not found. rooms Counter not found'))
const noList = get('/v1beta1/lists/players', refused('not found. players List not found'))
const off = refused('CountsAndLists not enabled')
const label = step('PUT /metadata/label', '{"key":"a","value":"b"}', ok())
const max = '9223372036854775807'

/** Started with a whole GameServer, or with one that lacks things, or that no cluster would have. */
export const fileCases: readonly WireCase[] = [
  {
    name: 'a file is the object, and is changed by calls',
    setup: { file: full },
    steps: [
      gameServer(fullGameServer({}, { counters, lists })),
      noCounter,
      get('/v1beta1/counters/lives', counter('lives', 3, 4)),
      patch('counters/lives', '{"countDiff":"1"}', counter('lives', 4, 4)),
      patch('counters/lives', '{"countDiff":"1"}', range64(5, 4)),
      get('/v1beta1/lists/teams', list('teams', 5, 'red', 'blue')),
      step('POST /v1beta1/lists/teams:addValue', '{"value":"green"}', list('teams', 5, 'red', 'blue', 'green')),
      step('POST /ready', '{}', ok()),
      label,
      step('PUT /metadata/annotation', '{"key":"a","value":"b"}', ok()),
      gameServer(
        fullGameServer(
          {
            annotations: { 'agones.dev/sdk-a': 'b', note: 'one: two' },
            labels: { 'agones.dev/sdk-a': 'b', mode: 'duel' },
          },
          {
            state: 'Ready',
            counters: { lives: { count: '4', capacity: '4' } },
            lists: { teams: { capacity: '5', values: ['red', 'blue', 'green'] } },
          },
        ),
      ),
    ],
  },
  {
    name: 'no list can be updated without a list called players',
    since: 'listLimit',
    setup: { file: full },
    steps: [
      patch('lists/teams', '{"capacity":"4"}', refused('no players for list')),
      patch('lists/nope', '{"capacity":"4"}', refused('no players for list')),
      patch('lists/teams?updateMask=foo', '{"capacity":"4"}', badMask('foo')),
      patch('lists/teams', '{"capacity":"-4"}', refused('no players for list')),
    ],
  },
  {
    name: 'the list called players limits every list by what it began with',
    since: 'listLimit',
    setup: { file: withPlayers(3) },
    steps: [
      patch('lists/teams', '{"capacity":"4"}', range(4)),
      patch('lists/teams', '{"capacity":"3"}', list('teams', 3, 'red', 'blue')),
      patch('lists/teams', '{"values":["a","b","c","d"]}', list('teams', 3, 'a', 'b', 'c')),
      patch('lists/players', '{"capacity":"2"}', list('players', 2)),
      patch('lists/teams', '{"capacity":"3"}', list('teams', 3, 'a', 'b', 'c')),
      step('POST /v1beta1/lists/players:addValue', '{"value":"a"}', list('players', 2, 'a')),
    ],
  },
  {
    name: 'a JSON file with next to nothing in it',
    setup: { file: '{"metadata":{"name":"json"},"status":{"state":"Ready"}}' },
    steps: [
      gameServer(fileGameServer({ name: 'json' }, { state: 'Ready' })),
      noCounter,
      noList,
      step('POST /ready', '{}', ok()),
      label,
      gameServer(fileGameServer({ name: 'json', labels: { 'agones.dev/sdk-a': 'b' } }, { state: 'Ready' })),
    ],
  },
  {
    name: 'counters and lists of the spec are not read',
    setup: { file: specOnly },
    steps: [gameServer(fileGameServer({ name: 'spec-only' }, {}, { disabled: true })), noCounter, noList],
  },
  {
    name: 'times, players and fields without effect of a file',
    setup: { file: times },
    steps: [
      gameServer(
        fileGameServer(
          { name: 'time', creation_timestamp: '1704164645', deletion_timestamp: '1704164646', labels: { a: '1' } },
          { state: 'Reserved' },
        ),
      ),
    ],
  },
  {
    name: 'the first document of a file counts',
    setup: { file: '---\nmetadata: {name: first}\n---\nmetadata: {name: second}\n' },
    steps: [gameServer(fileGameServer({ name: 'first' }))],
  },
  {
    name: 'counters of a file are taken as they are, and those beyond their range can be brought back',
    setup: { file: outOfRange },
    steps: [
      gameServer(
        fileGameServer(
          { name: 'counts' },
          {
            counters: {
              big: { count: max, capacity: max },
              neg: { count: '-1', capacity: '-5' },
              none: { count: '0', capacity: '0' },
              over: { count: '9', capacity: '3' },
            },
            lists: {
              dup: { capacity: '9', values: ['a', 'a'] },
              none: { capacity: '0', values: [] },
              over: { capacity: '1', values: ['a', 'b'] },
              players: { capacity: '2000', values: [] },
            },
          },
        ),
      ),
      patch('counters/over', '{"countDiff":"-1"}', range64(8, 3)),
      patch('counters/over', '{"count":"3"}', counter('over', 3, 3)),
      patch('counters/neg', '{"capacity":"5"}', counter('neg', -1, 5)),
      patch('counters/neg', '{"countDiff":"1"}', counter('neg', 0, 5)),
      patch('counters/big', '{"countDiff":"1"}', range64('-9223372036854775808', max)),
      patch('counters/big', '{"countDiff":"-1"}', counter('big', '9223372036854775806', max)),
      patch('counters/none', '{"capacity":"1"}', counter('none', 0, 1)),
    ],
  },
  {
    name: 'lists beyond their range',
    since: 'listLimit',
    setup: { file: outOfRange },
    steps: [
      step('POST /v1beta1/lists/over:addValue', '{"value":"c"}', noRoom(1, 2)),
      step('POST /v1beta1/lists/over:removeValue', '{"value":"a"}', list('over', 1, 'b')),
      step('POST /v1beta1/lists/dup:removeValue', '{"value":"a"}', list('dup', 9, 'a')),
      step('POST /v1beta1/lists/none:addValue', '{"value":"a"}', noRoom(0)),
      patch('lists/dup', '{"capacity":"1500"}', list('dup', 1500, 'a')),
      patch('lists/dup', '{"capacity":"2001"}', range(2001)),
    ],
  },
  {
    name: 'a file, without counters and lists',
    setup: { file: full, gates: 'CountsAndLists=false' },
    steps: [gameServer(fullGameServer({}, {})), get('/v1beta1/counters/lives', off)],
  },
]

/** Started with counters and lists off. */
export const gateCases: readonly WireCase[] = [
  {
    name: 'without counters and lists the object has none',
    setup: { gates: 'CountsAndLists=false' },
    steps: [
      gameServer({
        ...localGameServer(),
        status: { ...(localGameServer().status as object), counters: {}, lists: {} },
      }),
    ],
  },
  ...texts('GET counters/rooms | GET counters/nope | GET lists/players').map((line) => gated(line, off)),
  ...texts('counters/rooms {"count":"1"} | lists/players {"capacity":"1"}').map((line) => gated(`PATCH ${line}`, off)),
  ...texts('counters/rooms { | lists/players {"x":"1"}').map((line) => gated(`PATCH ${line}`, malformed)),
  ...['addValue', 'removeValue'].map((verb) => gated(`POST lists/players:${verb} {}`, off)),
]

function gated(line: string, expect: Answer): WireCase {
  const [method = '', path = '', body] = line.split(' ')
  return {
    ...call(`${method} /v1beta1/${path}`, expect, body),
    name: `off: ${line}`,
    setup: { gates: 'CountsAndLists=false' },
  }
}
