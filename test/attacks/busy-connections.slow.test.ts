import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { selfSigned } from '../gateway/certificate.js'
import { startFakeSidecar } from '../gateway/support.js'
import { websocketHeaders } from '../node/support.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { expectRefusal, expectServing, startGateway } from './support/targets.js'
import { openWatch } from './support/watch.js'
import { askAll, dial, head, readAnswers } from './support/wire.js'

/** The connections beside watches that the gateway has room for. */
const ROOM = 256
const MIB = 1024 * 1024
const READY = head('POST /_/sidecar/ready', 'Host: localhost', 'Content-Length: 0')
const FULL = /^All 256 connections wait for answers to other requests; try again in a moment$/

/** A sidecar that keeps every `ready` waiting until it is told, and answers the rest. */
async function startHeld() {
  const held: (() => void)[] = []
  const gameServer = { object_meta: {}, spec: {}, status: { state: 'Ready' } }
  const sidecar = await startFakeSidecar((message, reply) => {
    if (message.url === '/watch/gameserver') reply.write(`${JSON.stringify({ result: gameServer })}\n`)
    else if (message.url === '/ready') held.push(() => void reply.end('{}'))
    else reply.end(JSON.stringify(gameServer))
  })
  return { held, url: sidecar.url }
}

describe('connections that ask for nothing', () => {
  test('end neither a call, nor a download, nor a watch that is being answered', async () => {
    const { held, url } = await startHeld()
    const dir = await temporaryFolder('gameserver-busy')
    await writeFile(join(dir, 'index.html'), '<!doctype html>')
    await writeFile(join(dir, 'game.bin'), Buffer.alloc(64 * MIB, 'x'))
    const victim = await startGateway({ dir, sidecar: url, local: false })
    const watch = await openWatch(victim, 'stream')
    const call = await dial(victim.port, READY)
    const download = await dial(victim.port)
    download.socket.pause()
    download.send(head('GET /game.bin', 'Host: localhost', 'Connection: close'))
    while (held.length === 0) await delay(5)
    // Old enough to be ended if anything of them could be.
    await delay(1_100)
    const crowd = await Promise.all(Array.from({ length: ROOM + 44 }, () => dial(victim.port)))
    await delay(1_100)
    for (let i = 0; i < 3; i += 1) await expectServing(victim)
    // It did have to make room.
    expect(crowd.filter(({ socket }) => socket.destroyed || socket.readableEnded).length).toBeGreaterThan(0)
    held[0]!()
    expect(readAnswers(await call.saw(/\{\}$/))).toMatchObject([{ status: 200 }])
    download.socket.resume()
    expect((await download.ended).length).toBeGreaterThan(64 * MIB)
    expect(watch.socket.destroyed).toBe(false)
  })
})

describe('while all connections are being answered', () => {
  test('another one is refused in words and closed, and none of them is ended', async () => {
    const { held, url } = await startHeld()
    const victim = await startGateway({ sidecar: url, local: false })
    const calls = await Promise.all(Array.from({ length: ROOM }, () => dial(victim.port, READY)))
    while (held.length < ROOM) await delay(5)
    // A crowd is spared for a second, since many watchers may come at once.
    await delay(1_100)
    const ask = head('GET /_/sidecar/gameserver', 'Host: localhost')
    const refused = await askAll(victim.port, ask)
    expectRefusal(refused[0], 503, FULL)
    expect(refused).toHaveLength(1)
    const upgrade = head('GET /_/sidecar/watch/gameserver', 'Host: localhost', ...websocketHeaders)
    expectRefusal((await askAll(victim.port, upgrade))[0], 503, FULL)
    expect(victim.lines.at(-1)).toMatch(/^503 GET \/_\/sidecar\/watch\/gameserver: All 256 /)
    held.shift()!()
    await Promise.race(calls.map(({ saw }) => saw(/\{\}$/)))
    await expectServing(victim)
    for (const answer of held) answer()
    for (const { saw } of calls) expect(readAnswers(await saw(/\{\}$/))).toMatchObject([{ status: 200 }])
  })

  test('over HTTPS, the refusal is HTTPS', async () => {
    const { held, url } = await startHeld()
    const { port } = await startGateway({ sidecar: url, local: false, ...selfSigned() })
    const sockets = Array.from({ length: ROOM }, () => connectSecure({ port, rejectUnauthorized: false }))
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
    for (const socket of sockets) socket.on('error', () => undefined).write(READY)
    while (held.length < ROOM) await delay(5)
    // A crowd is spared for a second, since many watchers may come at once.
    await delay(1_100)
    const options = { port, path: '/_/sidecar/gameserver', rejectUnauthorized: false, agent: false }
    const [answer] = await once(httpsRequest(options).end(), 'response')
    expect(answer.statusCode).toBe(503)
    answer.setEncoding('utf8')
    expect(JSON.parse(String((await once(answer, 'data'))[0]))).toMatchObject({ code: 14 })
  })

  test('those whose clients still owe the rest of a request make room', async () => {
    const { url } = await startHeld()
    const victim = await startGateway({ sidecar: url, local: false })
    const half = head('POST /_/sidecar/ready', 'Host: localhost', 'Content-Length: 100')
    const crowd: Socket[] = []
    for (let i = 0; i < ROOM + 44; i += 1) crowd.push((await dial(victim.port, `${half}{`)).socket)
    await expectServing(victim)
    await delay(1_100)
    await expectServing(victim)
    expect(crowd.some((socket) => socket.readableEnded || socket.destroyed)).toBe(true)
  })

  test('a crowd that comes at once is answered all the same', async () => {
    const { held, url } = await startHeld()
    const victim = await startGateway({ sidecar: url, local: false })
    const calls = await Promise.all(Array.from({ length: 2 * ROOM }, () => dial(victim.port, READY)))
    while (held.length < 2 * ROOM) await delay(5)
    for (const answer of held) answer()
    for (const { saw } of calls) expect(readAnswers(await saw(/\{\}$/))).toMatchObject([{ status: 200 }])
  })
})
