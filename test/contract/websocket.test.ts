import { afterEach, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { send } from './support/send.js'
import { announceMissing, localTargets, type Running } from './support/targets.js'
import { openSocket, result } from './support/watchers.js'
import type { Answer, GameServerChanges } from './support/wire-case.js'
import { badMask, localGameServer, notFound, ok, players, refused, rooms, wrongMethod } from './support/wire-case.js'

/** What one socket at a path gets before it ends, and what that left behind. */
const calls: readonly (readonly [path: string, answer: Answer | undefined, left?: GameServerChanges])[] = [
  ['/gameserver', ok(localGameServer())],
  ['/v1beta1/counters/rooms', ok(rooms())],
  ['/v1beta1%2Fcounters%2Frooms', ok(rooms())],
  ['/v1beta1/counters/nope', refused('not found. nope Counter not found')],
  ['/nope', notFound],
  ['/ready', wrongMethod],
  ['/gameserver?method=POST', wrongMethod],
  ['/gameserver?method=', ok(localGameServer())],
  ['/watch/gameserver?method=POST', wrongMethod],
  ['/ready?method=post', wrongMethod],
  ['/ready?method=%zz', wrongMethod],
  ['/ready?method=POST;x', wrongMethod],
  ['/ready?Method=POST', wrongMethod],
  ['/ready?method=POST&method=GET', ok()],
  ['/ready?%6dethod=POST', ok()],
  ['/ready?method=POST', ok()],
  ['/allocate?method=POST', ok(), { state: 'Allocated' }],
  ['/reserve?method=POST', ok(), { state: 'Reserved' }],
  ['/health', undefined],
  ['/metadata/label?method=PUT', ok(), { labels: { 'agones.dev/sdk-': '' } }],
  ['/metadata/label?method=PUT&key=a&value=b', ok(), { labels: { 'agones.dev/sdk-': '' } }],
  ['/v1beta1/counters/rooms?method=PATCH', ok(rooms())],
  ['/v1beta1/lists/players?method=PATCH', ok(players())],
  ['/v1beta1/lists/players?method=PATCH&updateMask=foo', badMask('foo')],
  [
    '/v1beta1/lists/players?method=PATCH&updateMask=values',
    ok(players([])),
    { lists: { players: { capacity: '100', values: [] } } },
  ],
  [
    '/v1beta1/lists/players:addValue?method=POST',
    ok(players(['test0', 'test1', 'test2', ''])),
    { lists: { players: { capacity: '100', values: ['test0', 'test1', 'test2', ''] } } },
  ],
]

announceMissing('calls over a WebSocket')

for (const target of localTargets) {
  describe(`calls over a WebSocket: ${target.name}`, () => {
    let running: Running
    afterEach(() => running.stop())

    for (const [path, answer, left] of calls) {
      const frames = answer ? 'one text frame' : 'no frame'
      it(`${path} gets ${frames}, then the socket ends with 1006`, async () => {
        running = await target.start()
        const socket = await openSocket(running.port, '', path)
        if (answer) expect(await socket.next()).toEqual(answer.body)
        expect(await socket.ended).toEqual({ code: 1006 })
        expect(socket.waiting).toEqual([])
        expect(await send(running.port, 'GET /gameserver')).toEqual(ok(localGameServer(left)))
      })
    }

    it('a watch path may have a query or escapes', async () => {
      running = await target.start()
      const queries = ['?x=1', '?method=GET', '?method='].map((query) => `/watch/gameserver${query}`)
      for (const path of [...queries, '/watch%2Fgameserver', '/%77atch/gameserver']) {
        const socket = await openSocket(running.port, '', path)
        expect(await socket.next()).toEqual(result(localGameServer()))
        socket.close()
      }
    })

    it('a subprotocol is not echoed, so a client that asks for one fails', async () => {
      running = await target.start()
      const socket = new WebSocket(`ws://127.0.0.1:${running.port}/watch/gameserver`, ['json'])
      const error = await new Promise<Error>((resolve) => socket.on('error', resolve))
      expect(error.message).toBe('Server sent no subprotocol')
    })

    it('no extension is negotiated', async () => {
      running = await target.start()
      const url = `ws://127.0.0.1:${running.port}/watch/gameserver`
      const socket = new WebSocket(url, { perMessageDeflate: true })
      await new Promise((resolve) => socket.on('open', resolve))
      expect(socket.extensions).toBe('')
      socket.terminate()
    })

    for (const [what, line, headers, status, body] of [
      ['without a key', 'GET /gameserver', { 'Sec-WebSocket-Version': '13' }, 400, 'Bad Request\n'],
      ['of another version', 'GET /gameserver', { 'Sec-WebSocket-Version': '12' }, 400, 'Bad Request\n'],
      ['with another method', 'POST /ready', { 'Sec-WebSocket-Version': '13' }, 405, 'Method Not Allowed\n'],
    ] as const) {
      it(`an upgrade ${what} is refused with ${status}`, async () => {
        running = await target.start()
        const key = what === 'without a key' ? {} : { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' }
        const answer = await send(running.port, line, {
          headers: { Connection: 'Upgrade', Upgrade: 'websocket', ...headers, ...key },
        })
        expect(answer).toEqual({ status, type: 'text/plain; charset=utf-8', body })
      })
    }
  })
}
