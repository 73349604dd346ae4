import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { openSocket, websocketHeaders } from '../node/support.js'
import { closed, startSocketSidecar, startWatchSidecar } from './held-watches.js'
import { PREFIX, startGateway } from './support.js'

const WATCH = `${PREFIX}/watch/gameserver`
const openWatch = `GET ${WATCH} HTTP/1.1\r\nHost: localhost\r\n`
const openWebSocket = `${openWatch}${websocketHeaders.join('\r\n')}\r\n\r\n`

describe('a reader that stops reading', () => {
  const flood = (write: (bytes: Buffer) => boolean, stop: Promise<unknown>): Promise<number> =>
    new Promise((resolve) => {
      let sent = 0
      // A message of a WebSocket, which over HTTP is bytes like any others.
      const bytes = Buffer.concat([Buffer.from([0x82, 126, 0xff, 0xff]), Buffer.alloc(0xffff, 'x')])
      const timer = setInterval(() => {
        for (let i = 0; i < 16 && write(bytes); i++) sent += bytes.byteLength
      }, 5)
      void stop.then(() => {
        clearInterval(timer)
        resolve(sent)
      })
    })

  test('over HTTP is cut after five seconds, and the log says so', async () => {
    const sidecar = await startWatchSidecar()
    const { port, log } = await startGateway({ sidecar: sidecar.url })
    const socket = await openSocket(port)
    socket.write(`${openWatch}\r\n`)
    const upstream = await sidecar.watch()
    upstream.write('{}\n')
    await once(socket, 'data')
    socket.pause()
    const start = performance.now()
    const sent = await flood((bytes) => upstream.write(bytes), closed(upstream))
    expect(performance.now() - start).toBeGreaterThan(4_000)
    expect(sent).toBeLessThan(32 * 1024 * 1024)
    expect(log).toEqual(['A watch was ended whose reader had taken nothing for five seconds'])
  })

  test('over WebSocket too', async () => {
    let sent = Promise.resolve(0)
    const sidecar = await startSocketSidecar((upstream) => {
      sent = flood((bytes) => upstream.write(bytes), closed(upstream))
    })
    const { port, log } = await startGateway({ sidecar })
    const socket = await openSocket(port)
    socket.write(openWebSocket)
    await once(socket, 'data')
    socket.pause()
    expect(await sent).toBeLessThan(32 * 1024 * 1024)
    expect(log).toEqual(['A watch was ended whose reader had taken nothing for five seconds'])
  })

  test('for a while and then goes on loses nothing', async () => {
    const sidecar = await startWatchSidecar()
    const { url } = await startGateway({ sidecar: sidecar.url })
    const opening = fetch(`${url}${WATCH}`)
    const upstream = await sidecar.watch()
    for (let i = 0; i < 40_000; i++) upstream.write(`${'x'.repeat(500)}${i}\n`)
    const response = await opening
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    upstream.end()
    const lines = (await response.text()).split('\n')
    expect(lines).toHaveLength(40_001)
    expect(lines[39_999]).toBe(`${'x'.repeat(500)}39999`)
  })
})
