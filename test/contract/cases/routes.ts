import type { Answer, Request, WireCase } from '../support/wire-case.js'
import {
  badEscape,
  badMask,
  call,
  fails,
  invalid,
  localGameServer,
  malformed,
  noBeat,
  notFound,
  ok,
  one,
  players,
  refused,
  rooms,
  seen,
  step,
  words,
  wrongMethod,
} from '../support/wire-case.js'

const noPlayers = refused('PlayerTracking not enabled')
const added = (value: string): Answer => ok(players(['test0', 'test1', 'test2', value]))

/** What each path takes; any other method is a wrong one. */
const taken: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
  '/ready': { POST: ok() },
  // Without a body it is refused before its method is.
  '/health': { POST: ok(), GET: noBeat, HEAD: noBeat },
  '/allocate': { POST: ok() },
  '/shutdown': { POST: ok() },
  '/reserve': { POST: ok() },
  '/gameserver': { GET: ok(localGameServer()) },
  '/metadata/label': { PUT: ok() },
  '/metadata/annotation': { PUT: ok() },
  '/v1beta1/counters/rooms': { GET: ok(rooms()), PATCH: ok(rooms()) },
  '/v1beta1/lists/players': { GET: ok(players()), PATCH: badMask('') },
  '/v1beta1/lists/players:addValue': {
    GET: refused('not found. players:addValue List not found'),
    POST: added(''),
    PATCH: badMask(''),
  },
  '/v1beta1/lists/players:removeValue': {
    GET: refused('not found. players:removeValue List not found'),
    POST: refused('not found. Value: not found in List: players'),
    PATCH: badMask(''),
  },
  '/watch/gameserver': {},
}

/** Which method each path takes. */
export const methodCases: readonly WireCase[] = [
  ...Object.entries(taken).map(([path, answers]) => ({
    name: `${path} takes ${Object.keys(answers).join(' and ') || 'GET alone'}`,
    steps: words('GET POST PUT PATCH DELETE HEAD OPTIONS')
      .filter((method) => `${method} ${path}` !== 'GET /watch/gameserver')
      .map((method) =>
        step(
          `${method} ${path}`,
          /GET|HEAD/.test(method) ? undefined : '{}',
          answers[method] ?? (method === 'HEAD' ? { ...wrongMethod, body: '' } : wrongMethod),
        ),
      ),
  })),
  ...words('TRACE PROPFIND PURGE LINK QUERY SEARCH').map((method) => call(`${method} /ready`, wrongMethod)),
  call('HEAD /nope', { ...notFound, body: '' }),
  call('OPTIONS /nope', notFound),
  one(
    'a CORS preflight gets no permission',
    'OPTIONS /ready',
    { headers: { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' } },
    wrongMethod,
  ),
]

const gets = (answer: Answer, paths: string): WireCase[] => words(paths).map((path) => call(`GET ${path}`, answer))
const posts = (answer: Answer, paths: string, body = '{}'): WireCase[] =>
  words(paths).map((path) => call(`POST ${path}`, answer, body))
const puts = (answer: Answer, left: Parameters<typeof seen>[0], paths: string): WireCase[] =>
  words(paths).map((path) => call(`PUT ${path}`, answer, '{"key":"a","value":"b"}', seen(left)))

/** Which paths there are, and how they are matched: escapes, dots, slashes, case, queries. */
export const pathCases: readonly WireCase[] = [
  ...gets(notFound, '/ /nope /v1 /v1beta1 /v1beta1/ /v1beta1/counters /v1beta1/lists /v1beta1/players /gameservers'),
  ...gets(notFound, '/gameserver/ /GameServer //gameserver /gameserver// /./gameserver /x/../gameserver /gameserver/.'),
  ...gets(notFound, '/gameserver/x /gameserver/.. /watch /watch/ /watch/gameserver/ /watch/GameServer /metadata'),
  ...gets(notFound, '/metadata/ /v1beta1/Counters/rooms /gameserver%2F /gameserver%20 /gameserver%3Fx /gameserver%00'),
  ...gets(notFound, '/%2Fgameserver /gameserver;x=1 /gameserver&x /gameserver, /gameserver#x /gameserver%23x'),
  ...gets(notFound, String.raw`/gameserver\ /v1beta1\counters\rooms /v1beta1/counters\rooms /_/ /favicon.ico`),
  ...gets(notFound, '/index.html /healthz /gshealthz /metrics /debug/pprof/ /swagger.json'),
  ...gets(ok(localGameServer()), '/%67ameserver /gameserver? /gameserver?x=1 /gameserver?x=%zz /gameserver?x;y'),
  ...gets(ok(localGameServer()), '/gameserver?/../x'),
  ...gets(ok(rooms()), '/v1beta1%2Fcounters%2Frooms /v1beta1/counters%2Frooms'),
  // What is no HTTP gets a sentence in the shape of every other error from ours.
  {
    name: 'GET \\gameserver',
    steps: [{ call: 'GET \\gameserver', expect: badEscape, ours: invalid('The request is malformed') }],
  },
  ...gets(badEscape, '/gameserver% /gameserver%z /gameserver%zz /% /%2'),
  ...gets(noPlayers, '/alpha/player/count /alpha/player/capacity /alpha/player/connected /alpha/player/connected/x'),
  ...posts(notFound, '/ready/ /Ready //ready /ready%2F /x/../ready /ready:x /ready: /:ready /ready;a /ready#a /'),
  ...posts(notFound, '/health/ /Health'),
  ...posts(ok(), '/ready?x=1 /ready? /%72eady /ready?x=%zz /ready?a;b /health?x=1 /%68ealth'),
  ...posts(badEscape, '/ready%zz'),
  ...posts(noPlayers, '/alpha/player/connect /alpha/player/disconnect'),
  ...puts(notFound, {}, '/metadata/label/ /metadata/labels /metadata/Label /metadata//label /metadata/label/a'),
  ...puts(notFound, {}, '/metadata/annotation/ /metadata/annotations'),
  ...puts(
    ok(),
    { labels: { 'agones.dev/sdk-a': 'b' } },
    '/metadata%2Flabel /metadata/label?key=a&value=b /metadata/l%61bel',
  ),
  ...puts(noPlayers, {}, '/alpha/player/capacity'),
  call('PATCH /alpha/player/capacity', wrongMethod, '{}'),
  // A disabled interface still reads the message.
  call('POST /alpha/player/connect', malformed, '{'),
  call('POST /alpha/player/connect', malformed, '{"playerID":1}'),
  call('PUT /alpha/player/capacity', malformed, '{"count":'),
  call('PATCH /v1beta1/counters', notFound, '{}'),
]

/** Names as they stand in a path; the sidecar reads them as any decoder of a URI does. */
const unknown = (kind: 'counter' | 'list', names: string): WireCase[] =>
  names.split(' ').map((name) => {
    const title = kind === 'counter' ? 'Counter' : 'List'
    const read = decodeURIComponent(name.replace(/\?.*/, ''))
    const message = `not found. ${read} ${title} not found`
    return call(`GET /v1beta1/${kind}s/${name}`, refused(message.replace(/\s+/g, ' ')))
  })

const notUtf8 = fails(500, 13, 'grpc: error while marshaling: string field contains invalid UTF-8')
const verbs = (answer: Answer, names: string): WireCase[] => posts(answer, names, '{"value":"v"}')

/** Names of counters and lists in paths, and the verbs behind them. */
export const nameCases: readonly WireCase[] = [
  ...gets(notFound, '/v1alpha1/counters/rooms /V1beta1/counters/rooms /v1beta1//counters/rooms'),
  ...gets(notFound, '/v1beta1/counters//rooms /v1beta1/counters/rooms/ /v1beta1/counters/rooms/x'),
  ...gets(notFound, '/v1beta1/counters/./rooms /v1beta1/counters/../counters/rooms /v1beta1/counters/rooms%2F'),
  ...gets(notFound, '/v1beta1/counters/a%2Fb /v1beta1/counters/a/b'),
  ...gets(ok(rooms()), '/v1beta1/counters/%72ooms /v1beta1/counters/roo%6Ds /v1beta1/counters/rooms?x=1'),
  ...gets(ok(rooms()), '/v1beta1/counters/rooms?name=other /v1beta1/counters/rooms?updateMask=count'),
  ...gets(badEscape, '/v1beta1/counters/% /v1beta1/counters/%zz /v1beta1/counters/a%2'),
  ...gets(notUtf8, '/v1beta1/counters/%ff /v1beta1/counters/%c3%28 /v1beta1/counters/%ed%a0%80'),
  ...unknown('counter', ' . .. %2e %2e%2e ... %00 %20 rooms:addValue rooms: :rooms : a:b:c :addValue a%252Fb a%25b'),
  ...unknown('counter', 'a%253Ab a+b a%2Bb a%20b a%09b a%3Ab Rooms rooms%20 r%C3%B6%C3%B6ms %E6%88%BF %F0%9F%8E%AE'),
  ...unknown('counter', `__proto__ constructor toString other?name=rooms ?name=rooms rooms#x $ a'b a"b <b> {key} a|b`),
  ...unknown('counter', `a;b a=b a@b a,b * ~ a^b \` ${'n'.repeat(300)}`),
  ...unknown('list', ' :addValue :removeValue players:addValue : __proto__ hasOwnProperty'),
  ...verbs(wrongMethod, '/v1beta1/lists/players:addvalue /v1beta1/lists/players:AddValue /v1beta1/lists/addValue'),
  ...verbs(wrongMethod, '/v1beta1/counters/rooms:addValue /v1beta1/lists/players:clear /v1beta1/lists/players:'),
  ...verbs(added('v'), '/v1beta1/lists/players%3AaddValue /v1beta1/lists/players:add%56alue'),
  ...verbs(added('v'), '/v1beta1/lists/play%65rs:addValue /v1beta1/lists/players:addValue?value=x'),
  ...verbs(notFound, '/v1beta1/lists/players:addValue/ /v1beta1/lists/players/addValue /v1beta1/lists/:addValue'),
  ...verbs(notFound, '/v1beta1/lists/:removeValue /v1beta1/lists/a%2Fb:addValue /v1beta1/lists/a/b:addValue'),
  ...['players:addValue', 'players:x', 'players:removeValue', 'players:', 'players%20'].map((name) =>
    call(
      `POST /v1beta1/lists/${name}:addValue`,
      refused(`not found. ${name.replace('%20', '')} List not found`),
      '{"value":"v"}',
    ),
  ),
  ...['rooms:addValue', ':x', '', '__proto__'].map((name) =>
    call(`PATCH /v1beta1/counters/${name}`, refused(`not found. ${name} Counter not found`.replace('  ', ' ')), '{}'),
  ),
  call('PATCH /v1beta1/counters/a/b', notFound, '{}'),
  call('PATCH /v1beta1/counters/a%2Fb', notFound, '{}'),
  call('PATCH /v1beta1/counters/ro%6Fms', ok(rooms()), '{}'),
  ...['', 'players:addValue', ':addValue', 'constructor'].map((name) =>
    call(`PATCH /v1beta1/lists/${name}`, badMask(''), '{}'),
  ),
]

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** A write that acts as ever. */
const write = (headers: Record<string, string | null>): WireCase =>
  one(
    `a write with ${JSON.stringify(headers)}`,
    'PUT /metadata/label',
    { headers, body: '{"key":"a","value":"b"}' },
    ok(),
    seen({ labels: { 'agones.dev/sdk-a': 'b' } }),
  )

/** A read that is answered as ever. */
const read = (headers: Record<string, string>): WireCase =>
  one(`a read with ${JSON.stringify(headers)}`, 'GET /v1beta1/counters/rooms', { headers }, ok(rooms()))

const posted = (name: string, to: string, request: Request, expect: Answer, left = {}): WireCase =>
  one(name, `POST ${to}`, request, expect, seen(left))

/** Request headers change nothing. */
export const headerCases: readonly WireCase[] = [
  ...[null, 'text/plain', 'not a type'].map((type) => write({ 'Content-Type': type })),
  write(form),
  write({ Expect: '100-continue' }),
  write({ 'Content-Encoding': 'gzip' }),
  read({ Accept: 'text/plain', Authorization: 'Bearer x', Cookie: 'token=x', 'Accept-Encoding': 'gzip, br' }),
  read({ TE: 'trailers' }),
  read({ 'If-None-Match': '*', Range: 'bytes=0-1' }),
  read({ Connection: 'Upgrade', Upgrade: 'h2c' }),
  posted('a form to an unknown path', '/nope', { headers: form, body: '' }, notFound),
  posted('a form POST to a PUT path', '/metadata/label', { headers: form, body: 'key=a&value=b' }, wrongMethod),
  posted('a form of JSON', '/reserve', { headers: form, body: '{"seconds":"0"}' }, ok(), { state: 'Reserved' }),
  posted('a form of no JSON', '/reserve', { headers: form, body: 'seconds=5' }, malformed),
  posted(
    'X-HTTP-Method-Override is ignored',
    '/v1beta1/counters/rooms',
    { headers: { 'X-HTTP-Method-Override': 'PATCH' }, body: '{"count":"5"}' },
    wrongMethod,
  ),
]
