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

/** Bodies that are wrong, or odd and right, for an operation with one integer field called `seconds`. */
const integerBodies = [
  '', ' ', '\n\t\r ', '{', '}', '[', ']', '[]', 'null', 'true', '1', '-1.5e3', '"x"', '{"seconds":"x"}',
  '{"seconds":1.5}', '{"seconds":10.0}', '{"seconds":1e1}', '{"seconds":"1e1"}', '{"seconds":" 1"}', '{"seconds":"1 "}',
  '{"seconds":9223372036854775807}', '{"seconds":9223372036854775808}', '{"seconds":-9223372036854775808}',
  '{"seconds":-9223372036854775809}', '{"seconds":"9223372036854775807"}', '{"seconds":true}', '{"seconds":null}',
  '{"seconds":[]}', '{"seconds":{}}', '{"seconds":[1]}', '{"seconds":1,"seconds":2}', '{"seconds":1,"seconds":null}',
  '{"seconds":null,"seconds":1}', '{"x":1,"x":2}', '{"Seconds":5}', '{"seconds":1}x', '{"seconds":1}{"seconds":"x"}',
  '{"seconds":1', '{"seconds":', '{"seconds"', '{"secon', '{"seconds"}', '{seconds:1}', "{'seconds':1}", '{"seconds":01}',
  '{"seconds":-}', '{"seconds":-01}', '{"seconds":1.}', '{"seconds":.5}', '{"seconds":+1}', '{"seconds":1e}', '{"seconds":1e+}',
  '{"seconds":tru}', '{"seconds":nul', '{"seconds":falsy}', '{"seconds":1,}', '{,}', '{"a":[1,]}', '{"a":[,1]}', '{"a":[1 2]}',
  '{"a" 1}', '{"a"::1}', '{"a":1 "b":2}', '{"a":1;"b":2}', '{"a":[}]', '{"a":{]}', '{"a":"\\x"}', '{"a":"\\u12g4"}', '{"a":"\\u12"}',
  '{"a":"\\', '{"a":"\\ud800"}', '{"a":"\\ud800abcdef"}', '{"a":"\\ud800","bb":1}', '{"a":"\\ud800\\n","bb":1}', '{"a":"\\udc00\\ud800x"}',
  '{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d\\u0041 more"}', '{"\\ud800":1}', '{"\\ud800":1,"more":"text"}', '{"[x]":1}', '{"":1}',
  '{"seconds":""}', '{"seconds":"1x"}', '{"seconds":"0x10"}', '{"seconds":"+1"}', '{"seconds":"-0"}', '{"seconds":-0}', '{"seconds":"-"}',
  '{"seconds":1e400}', '{"seconds":0e400}', '{"seconds":0.0}', '{"seconds":0.10e1}', '{"seconds":100e-2}', '{"seconds":15e-1}',
  '{"seconds":1e18}', '{"seconds":1e19}', '{"seconds":1e2147483648}', '{"seconds":0.5e1}', '{"seconds":5e-1}', '{"seconds":1.50e2}',
  '{"seconds":"\\u0031"}', '{"s\\u0065conds":"y"}', '{"é":1,"seconds":"ü"}', '{"seconds":"1,"}', '{"seconds":"1]"}', '{"seconds":"1e"}',
  '{"seconds":"1e,"}', '{"seconds":"1e+"}', '{"seconds":"1."}', '{"seconds":"1_"}', '{"seconds":"00"}', '{"seconds":"0"}', '{"seconds":"null"}',
  '{"seconds":"[1]"}', '{"seconds":"\\"1\\""}', '{"seconds":"1\\n"}', '{"seconds":"\u00a01"}', '\n{\n "seconds": x}', '\n{\n "seconds": "x"}',
  ' \n {"a":1,\n\n  "seconds" : "x" }', 'é', '{"a":NaN}', '{"a":Infinity}', '{"a":undefined}', '<html>', 'seconds=1', '{"a":/**/1}',
  '{"a":"tab\there"}', '{"a":"line\nhere"}', '{"a":"\u007f"}', '{"seconds":{"a":[{"b":1}]}}', '{"a":{"b":[{"c":"\\ud800 lone"}]},"seconds":1}',
  '{"seconds":1}\u0000', '{"seconds": 12345678901234567890}', '{"seconds":"１"}', '{"seconds":1}]', '{"__proto__":1,"seconds":"x"}',
  '{"constructor":1}', '{"toString":{}}',
]

const counterBodies = [
  '{}', '{"foo":1}', '', '{"count":"5"}', '{"countDiff":1}', '{"count_diff":1}', '{"count":null}', '{"count":"x"}', '{"capacity":true}',
  '{"countDiff":"9223372036854775807"}', '{"capacity":"9223372036854775807","countDiff":"9223372036854775800"}',
  '{"countDiff":"9223372036854775800"}', '{"countDiff":"-9223372036854775808"}', '{"count":3,"capacity":2}', '{"capacity":2}', '{"count":3}',
  '{"countDiff":0}', '{"countDiff":-1}', '{"capacity":-1}', '{"count":-1}', '{"name":"other","count":1}', '{"name":5}', '{"count":{"value":1}}',
  '[]', '{"capacity":10}', '{"count":11}', '{"count":5,"countDiff":6}', '{"count":5,"countDiff":5}', '{"count":20,"capacity":20,"countDiff":-20}',
  '{"count":1,"count":2}', '{"countDiff":1.5}', '{"capacity":9007199254740993}', '{"count":9007199254740993}', '{"countDiff":-9007199254740992}',
]

const listExchanges: readonly (readonly [body: string, query?: string])[] = [
  ['{}'], [''], ['{"foo":1}'], ['{"f\u007f\\n":1}'], ['{"capacity":"5"}'], ['{"capacity":2}'], ['{"values":["a","b","c"]}'], ['{"values":null}'],
  ['{"values":[null]}'], ['{"values":"x"}'], ['{"values":[1]}'], ['{"values":["a",["b"]]}'], ['{"values":{}}'], ['{"values":["\\ud800"]}'],
  ['{"capacity":101}'], ['{"capacity":100}'], ['{"capacity":-1}'], ['{"capacity":1001}'], ['{"capacity":null}'],
  ['{"capacity":"100","values":["a","a","b"]}'], ['{}', '?updateMask=values'], ['{"values":["z"],"capacity":7}', '?updateMask=capacity'],
  ['{"values":["z"],"capacity":7}', '?update_mask=values'], ['{"values":["z"]}', '?updateMask=foo'], ['{"values":["z"]}', '?updateMask='],
  ['{"values":["z"]}', '?updateMask'], ['{"values":["z"]}', '?updateMask=values,foo'], ['{"values":["z"]}', '?updateMask=values,'],
  ['{"values":["y"]}', '?updateMask=*'], ['{"values":["y"]}', '?updateMask=values&updateMask=capacity'], ['{"values":["y"]}', '?x=%zz'],
  ['{"values":["y"]}', '?%zz=x'], ['{"values":["y"]}', '?x=%z'], ['{"values":["y"]}', '?a;b'], ['{"values":["y"]}', '?updateMask.paths=capacity'],
  ['{"values":["x1","x2"],"capacity":9}'], ['{"values":["y"]}', '?list.capacity=5'], ['{"values":["y"]}', '?list=5'],
  ['{"values":["y"]}', '?updateMask.foo=5'], ['{"values":["y"]}', '?updateMask[x]=5'], ['{"values":["y"]}', '?updateMask[values]'],
  ['{"values":["y"]}', '?foo=5'], ['{"values":["y"],"capacity":3}', '?updateMask=values%2Ccapacity'], ['{"values":["v"]}', '?updateMask=name'],
  ['{"name":"other","values":["q"]}'], ['{"name":"other"}'], ['{"name":null}'], ['{"capacity":"900"}', '?updateMask=values'], ['x'], ['null'], ['[]'],
  ['{"values":["a"]} trailing'], ['{"values":["a"],"x":{"y":1}}'], ['{"values":["a"],"x":1e999}'], ['{"capacity":{}}'],
  ['{"values":["a"]}', '?updateMask=values.x'], ['{"values":["a"]}', '?updateMask=Values'], ['{"values":["a"],"values":["b"]}'],
  ['{"values":["\\u0000","","é😀"]}'], ['{"capacity":2,"values":["1","2","3"]}'], ['{"capacity":0}'],
]

const valueBodies = ['', '{}', '{"value":null}', '{"value":5}', '{"value":"\\u0000"}', '{"value":"v","name":"x"}', '{"value":"test1"}', '[]', '{"Value":"q"}', '{"value":["a"]}', '{"value":"a","value":"b"}']

const metadataBodies = [
  '', '{}', '{"key":"a b","value":"!"}', '{"key":5}', '{"key":"k"}', '{"key":null,"value":null}', '{"value":"\\ud83d\\ude00"}',
  '{"key":"__proto__","value":"x"}', '{"key":"a/b","value":"<&>\\u2028"}', '{"key":"k","value":"1","extra":{"a":[]}}', '{"value":true}',
  '{"key":["a"]}', '[{"key":"a"}]', '{"key":"constructor","value":"y"}',
]

/** Invalid UTF-8 and byte order marks. */
const bytes = [
  '7b2276616c7565223a22ff227d', // {"value":"\xff"}
  '7b2278ff223a317d', // {"x\xff":1}
  '7b22c3a9223a22c328227d', // {"é":"\xc3("}
  'efbbbf7b7d', // byte order mark, {}
  '7b2261223a22ff5c7564383030222c22626262223a317d', // {"a":"\xff\ud800","bbb":1}
  '7b2261223a225c7564383030ff222c22626262223a317d', // {"a":"\ud800\xff","bbb":1}
  '00', 'ff', '7b7d00', '7b2276223a22eda080227d', '7b2276223a22f4908080227d',
]

/** Everything that was tried on the real sidecar's local mode. */
export const corpus: readonly Sequence[] = [
  {
    name: 'methods and paths',
    exchanges: [
      get('/ready'), bare('OPTIONS', '/gameserver'), bare('DELETE', '/nope'), bare('DELETE', '/ready'), bare('FOO', '/ready'), bare('HEAD', '/gameserver'),
      post('/ready/'), post('//ready'), post('/Ready'), post('/%72eady'), post('/ready?x=%zz'), post('/ready;a'), post('/ready%20'), post('/'), get('/'),
      get('/v1beta1/counters/'), get('/v1beta1/counters'), get('/v1beta1/counters/%zz'), get('/%'), get('/gameserver%2'), get('/v1beta1/counters/%ff'),
      patch('/v1beta1/counters/%ff', '['), patch('/v1beta1/counters/%ff', '{}'), get('/v1beta1/counters/%00'), get('/v1beta1/counters/a%2Fb'),
      get('/v1beta1/counters/rooms/'), get('/v1beta1/counters/rooms%3Ax'), get('/v1beta1/counters/%E2%82%AC'), get('/v1beta1/counters/a+b'),
      get('/v1beta1/counters/a%20b'), get('/v1beta1/counters/rooms?x'), get('/v1beta1/counters/..'), get('/a/../gameserver'), get('/./gameserver'),
      get('/v1beta1/lists/players'), get('/v1beta1/lists/nope'), get('/v1beta1/lists/__proto__'), get('/v1beta1/counters/toString'),
      get('/v1alpha1/lists/players'), get('/healthz'), get('/metrics'), get('/favicon.ico'), put('/health', '{}'), bare('PUT', '/metadata/label'),
      get('/metadata/label'), post('/metadata/label'), post('/watch/gameserver'), put('/v1beta1/lists/players', '{}'), bare('DELETE', '/v1beta1/lists/players'),
    ],
  },
  {
    name: 'list verbs',
    exchanges: [
      post('/v1beta1/lists/:addValue'), get('/v1beta1/lists/:addValue'), patch('/v1beta1/lists/:addValue', '{}'), post('/foo/:addValue'),
      post('/v1beta1/lists/a:addValue:addValue', '{"value":"x"}'), post('/v1beta1/lists/players%3AaddValue', '{"value":"x"}'),
      post('/v1beta1/lists/players:addvalue', '{"value":"x"}'), post('/v1beta1/lists/players:add', '{"value":"x"}'), post('/v1beta1/lists/players', '{"value":"x"}'),
      put('/v1beta1/lists/players:addValue', '{"value":"x"}'), get('/v1beta1/lists/players:addValue'), post('/v1beta1/lists/players:addValue?x=%zz', '{"value":"y"}'),
      post('/v1beta1/lists/players:addValue/', '{"value":"x"}'), post('/v1beta1/counters/rooms:addValue', '{"value":"x"}'), post('/ready:addValue'),
      post('/v1beta1/lists/nope:removeValue', '{"value":"a"}'), post('/v1beta1/lists/players:removeValue', '{"value":"x"}'),
      post('/v1beta1/lists/players:removeValue', '{"value":"x"}'), post('/v1beta1/lists/players%3aremoveValue', '{"value":"y"}'), get(list),
    ],
  },
  {
    name: 'overrides and forms',
    exchanges: [
      post('/gameserver', '', form),
      post('/gameserver', 'a=%zz', form), post('/gameserver?x=%zz', '', form), post('/ready', '{}', form), post('/watch/nothing', '', form),
      post('/v1beta1/lists/players:addValue', '{"value":"formed"}', form), post(list, '{}', { 'content-type': 'text/plain' }),
      post(label, '{"key":"a","value":"b"}', { ...form, 'x-http-method-override': 'PUT' }), post(label, '{"key":"a"}', { ...form, 'x-http-method-override': 'put' }),
      post(label, 'a=%zz', { ...form, 'x-http-method-override': 'PUT' }), post(`${label}?x=%zz`, 'a=b', { ...form, 'x-http-method-override': 'PUT' }),
      post(label, '{"key":"a"}', { 'content-type': 'application/json', 'x-http-method-override': 'PUT' }), post('/nope', 'a;b', { ...form, 'x-http-method-override': 'PUT' }),
      post('/ready', '{}', { 'content-type': 'application/grpc' }), post('/ready', '{}', { 'content-type': 'multipart/form-data' }), get('/gameserver'),
    ],
  },
  {
    name: 'health',
    exchanges: [
      get('/health'), bare('POST', '/health'), bare('PUT', '/health'), post('/health'), post('/health', ' '), post('/health', '{}{}{}'), post('/health', '{}{}x'),
      post('/health', '{}\n{}\n[]'), post('/health', '[]'), post('/health', 'null'), post('/health', '{"a":"\\ud800"}'), post('/health', '{"a":1}'), post('/health', '{'),
      get('/health/'), post('/health?x=1'),
    ],
  },
  { name: 'an integer in a body', exchanges: integerBodies.map((body) => post('/reserve', body)) },
  { name: 'bytes in a body', exchanges: bytes.flatMap((body) => [hex('PUT', label, body), hex('POST', '/ready', body)]) },
  {
    name: 'bodies of an operation without fields',
    exchanges: ['', ' ', '{}', '{"a":1}', '[]', 'null', '"x"', '{', 'x', '{"a":"\\ud800"}', '{"a":1,"a":2}', '{}x'].flatMap((body) => [
      post('/ready', body), post('/allocate', body), post('/shutdown', body),
    ]),
  },
  {
    name: 'states',
    exchanges: ['/ready', '/allocate', '/reserve', '/shutdown', '/ready'].flatMap((path) => [post(path), get('/gameserver')]),
  },
  {
    name: 'labels and annotations',
    exchanges: [...metadataBodies.flatMap((body) => [put(label, body), put(annotation, body)]), get('/gameserver')],
  },
  {
    name: 'counters',
    exchanges: [
      ...counterBodies.flatMap((body) => [patch(counter, body), get(counter)]), patch('/v1beta1/counters/nope', '{"count":1}'), patch('/v1beta1/counters/nope', '['),
      patch('/v1beta1/counters/', '{"count":1}'), get('/gameserver'),
    ],
  },
  {
    name: 'lists',
    exchanges: [
      ...listExchanges.map(([body, query = '']) => patch(list + query, body)), get(list), patch('/v1beta1/lists/nope', '{"capacity":1}'), patch('/v1beta1/lists/nope', '{}'),
      patch('/v1beta1/lists/', '{"capacity":1}'), get('/gameserver'),
    ],
  },
  {
    name: 'list values',
    exchanges: [
      ...valueBodies.flatMap((body) => [post(`${list}:addValue`, body), post(`${list}:removeValue`, body)]), ...valueBodies.map((body) => post(`${list}:addValue`, body)),
      patch(list, '{"capacity":4}'), post(`${list}:addValue`, '{"value":"over"}'), post(`${list}:addValue`, '{"value":"test0"}'), get(list),
    ],
  },
  {
    name: 'the alpha interface',
    exchanges: [
      get('/alpha/player/count'), get('/alpha/player/capacity'), put('/alpha/player/capacity', '{"count":5}'), put('/alpha/player/capacity', '{"count":"x"}'),
      post('/alpha/player/connect', '{"playerID":"a"}'), post('/alpha/player/connect', '{"playerID":5}'), post('/alpha/player/disconnect', ''), get('/alpha/player/connected'),
      get('/alpha/player/connected/a'), post('/alpha/player/count', '{}'), get('/alpha/player/nope'),
    ],
  },
  {
    name: 'counters and lists switched off',
    featureGates: 'CountsAndLists=false',
    exchanges: [
      get('/gameserver'), get(counter), patch(counter, '{}'), patch(counter, '['), get(list), patch(list, '{"capacity":1}'), patch(list, '{"foo":1}'),
      post(`${list}:addValue`, '{}'), post(`${list}:removeValue`, '{"value":5}'),
    ],
  },
  {
    name: 'an empty file',
    file: { apiVersion: 'agones.dev/v1', kind: 'GameServer' },
    exchanges: [get('/gameserver'), get(list), patch(list, '{"capacity":1}'), patch('/v1beta1/lists/x', '{"capacity":1}'), put(label, '{"key":"a","value":"b"}'), put(annotation, '{"key":"a"}'), post('/ready'), get('/gameserver')],
  },
  {
    name: 'a full file',
    file: {
      apiVersion: 'agones.dev/v1',
      kind: 'GameServer',
      metadata: {
        name: 'full', namespace: 'games', uid: 'u-1', resourceVersion: '77', generation: 3, creationTimestamp: '2024-02-29T12:00:00Z', deletionTimestamp: '2024-03-01T00:00:00Z',
        labels: { b: '2', a: '1' }, annotations: { z: '' },
      },
      spec: { health: { disabled: true, periodSeconds: 7, failureThreshold: 2 }, counters: { speced: { count: 1, capacity: 2 } }, lists: { speced: { capacity: 2, values: ['x'] } }, ports: [{ name: 'p', containerPort: 7000 }] },
      status: {
        state: 'Allocated', address: '10.0.0.1', addresses: [{ type: 'InternalIP', address: '10.0.0.2' }], ports: [{ name: 'game', port: 7654 }],
        counters: { big: { count: 5, capacity: 6 } }, lists: { players: { capacity: 0 }, other: { capacity: 1000, values: ['a', 'b'] } },
      },
    },
    exchanges: [
      get('/gameserver'), get('/v1beta1/counters/speced'), get('/v1beta1/lists/speced'), patch('/v1beta1/lists/other', '{"capacity":5}'), patch('/v1beta1/lists/other', '{"capacity":0}'),
      patch('/v1beta1/lists/players', '{"values":["a"]}'), get('/v1beta1/lists/other'), patch('/v1beta1/counters/big', '{"countDiff":1}'), patch('/v1beta1/counters/big', '{"countDiff":1}'),
    ],
  },
]
