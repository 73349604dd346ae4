import { describe, expect, test } from 'vitest'
import { WITH_CHANNEL } from '../../../src/host/wire/sockets.js'
import { operations } from '../../../src/protocol/operations.js'
import { ask, dial } from '../../support/wire.js'
import {
  dialPlayers,
  expectPlaying,
  joinPlayers,
  openPageOnNode,
  startEcho,
  startPlayers,
  startWithPage,
} from './players-support.js'
import { until } from '../../support/until.js'

const UPGRADE = [
  'Host: anything.example',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
]

/** Every path that the sidecar and the gateway answer, in all spellings. */
const sidecarPaths = [
  ...new Set(Object.values(operations).map(([method, path]) => `${method} ${path.replace('{key}', 'rooms')}`)),
  'GET /ready',
  'POST //shutdown',
  'POST /%73hutdown',
  'POST /shutdown?x=1',
  'GET /_/',
  'POST /_/sidecar/shutdown',
  'GET /_/host/guess',
  'GET /_/config.js',
]

describe('the public listener', () => {
  test('serves neither files nor the sidecar: every path is 404 in plain text', async () => {
    const stage = await startWithPage()
    const requests = [...sidecarPaths, 'GET /', 'GET /index.html', 'GET /healthz/', 'DELETE /', 'GET /package.json']
    for (const line of requests) {
      const answer = await ask(stage.players.port, line, ['Host: anything.example'])
      expect(answer.status, line).toBe(404)
      expect(answer.body).toBe('Only WebSocket connections of players are accepted here, and GET /healthz\n')
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    }
  })

  test("opens no WebSocket on the paths of the sidecar's watch, the gateway or the page", async () => {
    const stage = await startWithPage()
    const paths = ['/watch/gameserver', '/_/sidecar/watch/gameserver', '/_/host/guess', '/_/config.js']
    for (const path of [...paths, stage.players.pagePath]) {
      const answer = await ask(stage.players.port, `GET ${path}`, UPGRADE)
      expect(answer.status, path).toBe(404)
    }
    expect(stage.changes).toEqual([])
  })

  test('is healthy while the page is connected, and answers 503 before, after and while it stops', async () => {
    const stage = await startPlayers()
    const health = async (method = 'GET'): Promise<string> => {
      const { status, body, headers } = await ask(stage.players.port, `${method} /healthz`, ['Host: x'])
      const isMeasured = status !== 405
      // Any page may measure how far away it is.
      expect(headers['access-control-allow-origin']).toBe(isMeasured ? '*' : undefined)
      expect(headers['timing-allow-origin']).toBe(isMeasured ? '*' : undefined)
      return `${status} ${body}`
    }
    expect(await health()).toBe('503 The game is not ready yet\n')
    const page = await openPageOnNode(stage)
    expect(await health()).toBe('200 ok\n')
    expect(await health('POST')).toBe('405 GET /healthz\n')
    page.sockets[0]!.terminate()
    await until(async () => expect(await health()).toBe('503 The game is not ready yet\n'))
    await until(async () => expect(await health()).toBe('200 ok\n'))
    stage.players.refuse()
    expect(await health()).toBe('503 The game is not ready yet\n')
  })

  test('admits players of the allowed origins and players without an Origin header', async () => {
    const stage = await startEcho({ playerOrigins: ['https://game.example', 'http://localhost:5173'] })
    for (const origin of ['https://game.example', 'https://GAME.example:443', 'http://localhost:5173', undefined]) {
      const player = await joinPlayers(stage, '/', origin === undefined ? {} : { origin })
      player.socket.send('here')
      expect(await player.message(0)).toBe('here')
    }
  })

  test.each(['http://game.example', 'https://game.example:444', 'https://evil.example', 'null', ''])(
    'refuses a page of the origin %j with 403',
    async (origin) => {
      const stage = await startWithPage({ playerOrigins: ['https://game.example'] })
      const answer = await ask(stage.players.port, 'GET /', [...UPGRADE, `Origin: ${origin}`])
      expect(answer.status).toBe(403)
      expect(answer.body).toContain('not among the origins of players')
      expect(stage.changes).toEqual([])
    },
  )

  test('refuses two Origin headers even if one is allowed', async () => {
    const stage = await startWithPage({ playerOrigins: ['https://game.example'] })
    const origins = ['Origin: https://game.example', 'Origin: https://evil.example']
    expect((await ask(stage.players.port, 'GET /', [...UPGRADE, ...origins])).status).toBe(403)
  })

  test.each([
    ['a target with bytes beyond ASCII', 'GET /\xff', UPGRADE],
    ['an old version of WebSocket', 'GET /', UPGRADE.map((line) => line.replace(': 13', ': 12'))],
    ['no key', 'GET /', UPGRADE.slice(0, 4)],
  ])('refuses an upgrade with %s by 400, and keeps serving', async (_what, line, headers) => {
    const stage = await startEcho()
    expect((await ask(stage.players.port, line, headers)).status).toBe(400)
    await expectPlaying(stage)
  })

  test.each<[what: string, bytes: string, status: number]>([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['too long a head', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['another host as target', 'GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a handshake by POST', `POST / HTTP/1.1\r\n${UPGRADE.join('\r\n')}\r\n\r\n`, 405],
  ])('answers %s in plain text, and not as the sidecar would', async (_what, bytes, status) => {
    const stage = await startWithPage()
    const wire = await dial(stage.players.port, bytes)
    await wire.saw(/\r\n\r\n.+\n$/)
    expect(wire.received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(wire.received()).toMatch(/content-type: text\/plain; charset=utf-8\r\n/i)
    expect(wire.received()).not.toContain('{')
    expect(stage.faults).toEqual([])
  })

  test('picks the first subprotocol that a player offers, and never that of data channels without them', async () => {
    const stage = await startWithPage()
    const { socket } = await joinPlayers(stage, '/', { protocols: [WITH_CHANNEL, 'game', 'other'] })
    expect(socket.protocol).toBe('game')
  })

  test('offers no compression', async () => {
    const stage = await startWithPage()
    const player = await joinPlayers(stage, '/', { perMessageDeflate: true })
    expect(player.socket.extensions).toBe('')
  })
})

describe("the page's own path", () => {
  test('has a secret of 128 bits, another one each time', async () => {
    const paths = await Promise.all([startPlayers(), startPlayers()])
    const secrets = paths.map(({ players }) => /^\/_\/host\/([\w-]{22})$/.exec(players.pagePath)?.[1])
    expect(secrets[0]).toBeDefined()
    expect(secrets[0]).not.toBe(secrets[1])
  })

  test.each(['', 'x', '/extra', '?x', '%00'])('answers 404 if %j replaces the end of its secret', async (end) => {
    const { players, inside } = await startPlayers()
    const guess = players.pagePath.slice(0, -5) + end
    const answer = await ask(Number(inside.split(':')[1]), `GET ${guess}`, UPGRADE)
    expect(answer.status).toBe(404)
    expect((await ask(players.port, 'GET /healthz', ['Host: x'])).status).toBe(503)
  })
})

test('stopping closes present and new players with 1001, and ends all connections', async () => {
  const stage = await startWithPage()
  const player = await joinPlayers(stage)
  stage.players.refuse()
  const late = dialPlayers(stage)
  expect(await late.closed).toEqual([1001, 'The game server is stopping'])
  expect(player.socket.readyState).toBe(player.socket.OPEN)
  const idle = await dial(stage.players.port)
  await stage.players.close()
  expect(await player.closed).toEqual([1001, 'The game server is stopping'])
  expect(stage.changes).toEqual([
    { id: 1, state: 'open', remoteAddress: '127.0.0.1' },
    { id: 1, state: 'closed', remoteAddress: '127.0.0.1', code: 1001, reason: 'The game server is stopping' },
  ])
  expect(await idle.ended).toBe('')
})

test('stopping doesn’t wait for players who don’t answer the close frame', async () => {
  const stage = await startWithPage()
  const silent = await dial(stage.players.port, ['GET / HTTP/1.1', ...UPGRADE, '', ''].join('\r\n'))
  await silent.saw(/101/)
  await stage.players.close()
  expect(await silent.ended).toContain('The game server is stopping')
})
