import { once } from 'node:events'
import { request as httpRequest, Agent } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { converse, openSocket } from '../node/support.js'
import { closed, openStream, openWatch, openWebSocket, startSocketSidecar, startWatched, WATCH } from './watches.js'
import { PREFIX, startGateway, type TestGateway } from './support.js'

describe('a watch whose reader stops reading', () => {
  const flood = (write: (bytes: Buffer) => boolean, stop: Promise<unknown>): Promise<number> =>
    new Promise((resolve) => {
      let sent = 0
      // A WebSocket's message, which over HTTP is bytes like any others.
      const bytes = Buffer.concat([Buffer.from([0x82, 126, 0xff, 0xff]), Buffer.alloc(0xffff, 'x')])
      const timer = setInterval(() => {
        for (let i = 0; i < 16 && write(bytes); i++) sent += bytes.byteLength
      }, 5)
      void stop.then(() => {
        clearInterval(timer)
        resolve(sent)
      })
    })

  // The kernel buffers 32 MiB to be read and 4 MiB to be sent of each of two connections. A gateway that went on reading
  // would take half a gigabyte in five seconds.
  const KERNEL_HOLDS = 80 * 1024 * 1024

  test('over HTTP is cut after five seconds, and the log says so', async () => {
    const { port, log, sidecar } = await startWatched()
    const socket = await openSocket(port)
    socket.write(`${openWatch}\r\n`)
    const upstream = await sidecar.watch()
    upstream.write('{}\n')
    await once(socket, 'data')
    socket.pause()
    const sent = await flood((bytes) => upstream.write(bytes), closed(upstream))
    expect(sent).toBeLessThan(KERNEL_HOLDS)
    expect(log).toEqual(['A watch was ended whose reader had taken nothing for five seconds'])
  })

  test('over WebSocket is cut after five seconds, and the log says so', async () => {
    let sent = Promise.resolve(0)
    const sidecar = await startSocketSidecar((upstream) => {
      sent = flood((bytes) => upstream.write(bytes), closed(upstream))
    })
    const { port, log } = await startGateway({ sidecar })
    const socket = await openSocket(port)
    socket.write(openWebSocket)
    await once(socket, 'data')
    socket.pause()
    expect(await sent).toBeLessThan(KERNEL_HOLDS)
    expect(log).toEqual(['A watch was ended whose reader had taken nothing for five seconds'])
  })

  test('and reads on after three seconds loses nothing', async () => {
    const { url, sidecar } = await startWatched()
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

describe('at a signal', () => {
  test('the gateway waits at most five seconds for the end of a half received line', async () => {
    const gateway = await startWatched()
    const stream = await openStream(gateway)
    stream.upstream.write('{"result"')
    await once(stream.response, 'data')
    await gateway.close('SIGTERM')
    expect(await stream.ended).toBe(false)
  })

  test('the gateway waits for a page that watched, unless the page has called shutdown()', async () => {
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    /** A gateway with a page that watches, and that keeps the connection of its call. */
    const start = async (call: string): Promise<TestGateway> => {
      const gateway = await startGateway({ local: { mode: 'local' } })
      await converse(gateway.url + WATCH).frame(0)
      const options = { port: gateway.port, host: '127.0.0.1', method: 'POST', path: PREFIX + call, agent }
      const [answer] = await once(httpRequest(options).end('{}'), 'response')
      answer.resume()
      await once(answer, 'end')
      return gateway
    }
    const order: string[] = []
    const gateways = await Promise.all(['/ready', '/shutdown'].map(start))
    await Promise.all(
      gateways.map((gateway, i) => gateway.close('SIGTERM').then(() => order.push(['ready', 'shutdown'][i]!))),
    )
    expect(order).toEqual(['shutdown', 'ready'])
  })
})
