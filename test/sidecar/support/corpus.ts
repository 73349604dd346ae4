import type { first } from '../../contract/support/releases.js'
import { counterBodies, integerBodies, listExchanges, metadataBodies, oddBytes, valueBodies } from './corpus-bodies.js'

/** One request, as it goes over the wire. */
export interface Exchange {
  readonly method: string
  /** Path and query, sent as they are. */
  readonly target: string
  /** Text sent as UTF-8; undefined for no body at all. */
  readonly body?: string
  /** Bytes in hexadecimal, where text won't do. */
  readonly hex?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Requests that are sent in this order to a sidecar that has just started. */
export interface Sequence {
  readonly name: string
  readonly featureGates?: string
  /** The releases before answer otherwise. */
  readonly since?: keyof typeof first
  /** A GameServer to start with, as JSON; undefined for the built-in one. */
  readonly file?: unknown
  readonly exchanges: readonly Exchange[]
}

const get = (target: string): Exchange => ({ method: 'GET', target })
const post = (target: string, body = '{}', headers: Exchange['headers'] = {}): Exchange => ({
  method: 'POST',
  target,
  body,
  headers,
})
const put = (target: string, body: string): Exchange => ({ method: 'PUT', target, body })
const patch = (target: string, body: string): Exchange => ({ method: 'PATCH', target, body })
const hex = (method: string, target: string, bytes: string): Exchange => ({ method, target, hex: bytes })
const bare = (method: string, target: string): Exchange => ({ method, target })

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const counter = '/v1beta1/counters/rooms'
const list = '/v1beta1/lists/players'
const label = '/metadata/label'
const annotation = '/metadata/annotation'

/** Everything that was tried on the real sidecar's local mode. */
export const corpus: readonly Sequence[] = [
  {
    name: 'methods and paths',
    exchanges: [
      get('/ready'),
      bare('OPTIONS', '/gameserver'),
      bare('DELETE', '/nope'),
      bare('DELETE', '/ready'),
      bare('FOO', '/ready'),
      bare('HEAD', '/gameserver'),
      post('/ready/'),
      post('//ready'),
      post('/Ready'),
      post('/%72eady'),
      post('/ready?x=%zz'),
      post('/ready;a'),
      post('/ready%20'),
      post('/'),
      get('/'),
      get('/v1beta1/counters/'),
      get('/v1beta1/counters'),
      get('/v1beta1/counters/%zz'),
      get('/%'),
      get('/gameserver%2'),
      get('/v1beta1/counters/%ff'),
      patch('/v1beta1/counters/%ff', '['),
      patch('/v1beta1/counters/%ff', '{}'),
      get('/v1beta1/counters/%00'),
      get('/v1beta1/counters/a%2Fb'),
      get('/v1beta1/counters/rooms/'),
      get('/v1beta1/counters/rooms%3Ax'),
      get('/v1beta1/counters/%E2%82%AC'),
      get('/v1beta1/counters/a+b'),
      get('/v1beta1/counters/a%20b'),
      get('/v1beta1/counters/rooms?x'),
      get('/v1beta1/counters/..'),
      get('/a/../gameserver'),
      get('/./gameserver'),
      get('/v1beta1/lists/players'),
      get('/v1beta1/lists/nope'),
      get('/v1beta1/lists/__proto__'),
      get('/v1beta1/counters/toString'),
      get('/v1alpha1/lists/players'),
      get('/healthz'),
      get('/metrics'),
      get('/favicon.ico'),
      put('/health', '{}'),
      bare('PUT', '/metadata/label'),
      get('/metadata/label'),
      post('/metadata/label'),
      post('/watch/gameserver'),
      put('/v1beta1/lists/players', '{}'),
      bare('DELETE', '/v1beta1/lists/players'),
    ],
  },
  {
    name: 'list verbs',
    exchanges: [
      post('/v1beta1/lists/:addValue'),
      get('/v1beta1/lists/:addValue'),
      patch('/v1beta1/lists/:addValue', '{}'),
      post('/foo/:addValue'),
      post('/v1beta1/lists/a:addValue:addValue', '{"value":"x"}'),
      post('/v1beta1/lists/players%3AaddValue', '{"value":"x"}'),
      post('/v1beta1/lists/players:addvalue', '{"value":"x"}'),
      post('/v1beta1/lists/players:add', '{"value":"x"}'),
      post('/v1beta1/lists/players', '{"value":"x"}'),
      put('/v1beta1/lists/players:addValue', '{"value":"x"}'),
      get('/v1beta1/lists/players:addValue'),
      post('/v1beta1/lists/players:addValue?x=%zz', '{"value":"y"}'),
      post('/v1beta1/lists/players:addValue/', '{"value":"x"}'),
      post('/v1beta1/counters/rooms:addValue', '{"value":"x"}'),
      post('/ready:addValue'),
      post('/v1beta1/lists/nope:removeValue', '{"value":"a"}'),
      post('/v1beta1/lists/players:removeValue', '{"value":"x"}'),
      post('/v1beta1/lists/players:removeValue', '{"value":"x"}'),
      post('/v1beta1/lists/players%3aremoveValue', '{"value":"y"}'),
      get(list),
    ],
  },
  {
    name: 'content types',
    exchanges: [
      post('/ready', '{}', form),
      post('/watch/nothing', '', form),
      post('/v1beta1/lists/players:addValue', '{"value":"formed"}', form),
      post(list, '{}', { 'content-type': 'text/plain' }),
      post(label, '{"key":"a"}', { 'content-type': 'application/json', 'x-http-method-override': 'PUT' }),
      post('/ready', '{}', { 'content-type': 'application/grpc' }),
      post('/ready', '{}', { 'content-type': 'multipart/form-data' }),
      get('/gameserver'),
    ],
  },
  {
    name: 'health',
    exchanges: [
      get('/health'),
      bare('POST', '/health'),
      bare('PUT', '/health'),
      post('/health'),
      post('/health', ' '),
      post('/health', '{}{}{}'),
      post('/health', '{}{}x'),
      post('/health', '{}\n{}\n[]'),
      post('/health', '[]'),
      post('/health', 'null'),
      post('/health', '{"a":"\\ud800"}'),
      post('/health', '{"a":1}'),
      post('/health', '{'),
      get('/health/'),
      post('/health?x=1'),
    ],
  },
  { name: 'an integer in a body', exchanges: integerBodies.map((body) => post('/reserve', body)) },
  {
    name: 'bytes in a body',
    exchanges: oddBytes.flatMap((body) => [hex('PUT', label, body), hex('POST', '/ready', body)]),
  },
  {
    name: 'bodies of an operation without fields',
    exchanges: [
      '',
      ' ',
      '{}',
      '{"a":1}',
      '[]',
      'null',
      '"x"',
      '{',
      'x',
      '{"a":"\\ud800"}',
      '{"a":1,"a":2}',
      '{}x',
    ].flatMap((body) => [post('/ready', body), post('/allocate', body), post('/shutdown', body)]),
  },
  {
    name: 'states',
    exchanges: ['/ready', '/allocate', '/reserve', '/shutdown', '/ready'].flatMap((path) => [
      post(path),
      get('/gameserver'),
    ]),
  },
  {
    name: 'labels and annotations',
    exchanges: [...metadataBodies.flatMap((body) => [put(label, body), put(annotation, body)]), get('/gameserver')],
  },
  {
    name: 'counters',
    exchanges: [
      ...counterBodies.flatMap((body) => [patch(counter, body), get(counter)]),
      patch('/v1beta1/counters/nope', '{"count":1}'),
      patch('/v1beta1/counters/nope', '['),
      patch('/v1beta1/counters/', '{"count":1}'),
      get('/gameserver'),
    ],
  },
  {
    name: 'lists',
    since: 'listLimit',
    exchanges: [
      ...listExchanges.map(([body, query = '']) => patch(list + query, body)),
      get(list),
      patch('/v1beta1/lists/nope', '{"capacity":1}'),
      patch('/v1beta1/lists/nope', '{}'),
      patch('/v1beta1/lists/', '{"capacity":1}'),
      get('/gameserver'),
    ],
  },
  {
    name: 'list values',
    exchanges: [
      ...valueBodies.flatMap((body) => [post(`${list}:addValue`, body), post(`${list}:removeValue`, body)]),
      ...valueBodies.map((body) => post(`${list}:addValue`, body)),
      patch(list, '{"capacity":4}'),
      post(`${list}:addValue`, '{"value":"over"}'),
      post(`${list}:addValue`, '{"value":"test0"}'),
      get(list),
    ],
  },
  {
    name: 'the alpha interface',
    exchanges: [
      get('/alpha/player/count'),
      get('/alpha/player/capacity'),
      put('/alpha/player/capacity', '{"count":5}'),
      put('/alpha/player/capacity', '{"count":"x"}'),
      post('/alpha/player/connect', '{"playerID":"a"}'),
      post('/alpha/player/connect', '{"playerID":5}'),
      post('/alpha/player/disconnect', ''),
      get('/alpha/player/connected'),
      get('/alpha/player/connected/a'),
      post('/alpha/player/count', '{}'),
      get('/alpha/player/nope'),
    ],
  },
  {
    name: 'counters and lists switched off',
    featureGates: 'CountsAndLists=false',
    exchanges: [
      get('/gameserver'),
      get(counter),
      patch(counter, '{}'),
      patch(counter, '['),
      get(list),
      patch(list, '{"capacity":1}'),
      patch(list, '{"foo":1}'),
      post(`${list}:addValue`, '{}'),
      post(`${list}:removeValue`, '{"value":5}'),
    ],
  },
  {
    name: 'an empty file',
    since: 'listLimit',
    file: { apiVersion: 'agones.dev/v1', kind: 'GameServer' },
    exchanges: [
      get('/gameserver'),
      get(list),
      patch(list, '{"capacity":1}'),
      patch('/v1beta1/lists/x', '{"capacity":1}'),
      put(label, '{"key":"a","value":"b"}'),
      put(annotation, '{"key":"a"}'),
      post('/ready'),
      get('/gameserver'),
    ],
  },
  {
    name: 'a full file',
    since: 'listLimit',
    file: {
      apiVersion: 'agones.dev/v1',
      kind: 'GameServer',
      metadata: {
        name: 'full',
        namespace: 'games',
        uid: 'u-1',
        resourceVersion: '77',
        generation: 3,
        creationTimestamp: '2024-02-29T12:00:00Z',
        deletionTimestamp: '2024-03-01T00:00:00Z',
        labels: { b: '2', a: '1' },
        annotations: { z: '' },
      },
      spec: {
        health: { disabled: true, periodSeconds: 7, failureThreshold: 2 },
        counters: { speced: { count: 1, capacity: 2 } },
        lists: { speced: { capacity: 2, values: ['x'] } },
        ports: [{ name: 'p', containerPort: 7000 }],
      },
      status: {
        state: 'Allocated',
        address: '10.0.0.1',
        addresses: [{ type: 'InternalIP', address: '10.0.0.2' }],
        ports: [{ name: 'game', port: 7654 }],
        counters: { big: { count: 5, capacity: 6 } },
        lists: { players: { capacity: 0 }, other: { capacity: 1000, values: ['a', 'b'] } },
      },
    },
    exchanges: [
      get('/gameserver'),
      get('/v1beta1/counters/speced'),
      get('/v1beta1/lists/speced'),
      patch('/v1beta1/lists/other', '{"capacity":5}'),
      patch('/v1beta1/lists/other', '{"capacity":0}'),
      patch('/v1beta1/lists/players', '{"values":["a"]}'),
      get('/v1beta1/lists/other'),
      patch('/v1beta1/counters/big', '{"countDiff":1}'),
      patch('/v1beta1/counters/big', '{"countDiff":1}'),
    ],
  },
]
