import { once } from 'node:events'
import { request as httpRequest, Agent } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { converse, openSocket } from '../node/support.js'
import { PREFIX, startGateway } from './support.js'
import type { TestGateway } from './support.js'
import { openStream, startWatchSidecar, WATCH } from './watch-sidecar.js'

const HEAD = 'HTTP/1.1\r\nHost: localhost\r\n'

describe('at a signal', () => {
  test('a unit that is never finished is not waited for longer than five seconds', async () => {
    const sidecar = await startWatchSidecar()
    const gateway = await startGateway({ sidecar: sidecar.url })
    const stream = await openStream(gateway.port, sidecar)
    stream.upstream.write('{"result"')
    await once(stream.response, 'data')
    // It would be waited for without end.
    await gateway.close('SIGTERM')
    expect(await stream.ended).toBe(false)
  })

  test('a page that shut down before is not waited for, unlike one that did not and is still there', async () => {
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

  test('a client that never stops asking does not keep it', async () => {
    const gateway = await startGateway({ local: true })
    const socket = await openSocket(gateway.port)
    const ask = (): void => void socket.write(`POST ${PREFIX}/health ${HEAD}Content-Length: 2\r\n\r\n{}`)
    // What it asks at the last moment may reach a socket that is closed already.
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('data', () => setTimeout(ask, 50))
    ask()
    await once(socket, 'data')
    await gateway.close('SIGTERM')
    await closed
  })
})
