import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { websocketHeaders } from '../node/support.js'
import { freePort } from '../support/free-port.js'
import { ask, type Answer } from '../support/wire.js'
import { PREFIX, startForwarding, startGateway, startRawSidecar } from './support.js'

const HOST = ['Host: localhost']

/** An address where nothing listens. */
const nowhere = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`

/** An address where connections are neither accepted nor refused: its backlog is full, and nobody takes from it. */
async function silence(): Promise<string> {
  const script = `const at = { port: 0, host: '127.0.0.1', backlog: 1 }
  const server = require('net').createServer().listen(at, () => {
    require('fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`
  const child = spawn(process.execPath, ['-e', script])
  onTestFinished(() => void child.kill('SIGKILL'))
  const port = Number(String((await once(child.stdout, 'data'))[0]))
  for (let full = false; !full;) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    full = await Promise.race([
      once(socket, 'connect').then(() => false),
      new Promise<boolean>((resolve) => setTimeout(resolve, 200, true)),
    ])
  }
  return `http://127.0.0.1:${port}`
}

const upgradeTo = (port: number): Promise<Answer> =>
  ask(port, `GET ${PREFIX}/watch/gameserver`, [...HOST, ...websocketHeaders])

describe('where there is no sidecar', () => {
  test('the answers to a request and to an upgrade, and the log, say that nothing was sent', async () => {
    const sidecar = await nowhere()
    const { port, log } = await startGateway({ sidecar })
    for (const answer of [await ask(port, `POST ${PREFIX}/ready`, HOST, '{}'), await upgradeTo(port)]) {
      expect(answer.status).toBe(502)
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
      expect(JSON.parse(answer.body)).toEqual({
        code: 14,
        message: `The sidecar at ${new URL(sidecar).host} could not be reached (ECONNREFUSED); nothing was sent`,
        details: [],
      })
    }
    expect(log[0]).toMatch(`502 POST ${PREFIX}/ready: The sidecar at`)
    expect(log).toHaveLength(2)
  })

  test('a connection that is never accepted is given up long before the timeout of an answer', async () => {
    const { port } = await startGateway({ sidecar: await silence(), timeout: 1e9 })
    const answers = await Promise.all([ask(port, `POST ${PREFIX}/ready`, HOST, '{}'), upgradeTo(port)])
    for (const { status, body } of answers) {
      expect(status).toBe(502)
      const message = expect.stringMatching(/\((ETIMEDOUT|Opening handshake has timed out)\); nothing was sent/)
      expect(JSON.parse(body)).toMatchObject({ code: 14, message })
    }
  })
})

describe('a sidecar that took a request and', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['resets the connection', (socket) => void socket.resetAndDestroy()],
    ['answers with what is no HTTP', (socket) => void socket.end('hello\r\n\r\n')],
  ])('%s may have acted, and the answer says so', async (_name, way) => {
    let taken = 0
    const sidecar = await startRawSidecar((socket) => {
      socket.once('data', () => {
        taken += 1
        way(socket)
      })
    })
    const { port, log } = await startGateway({ sidecar })
    const answer = await ask(port, `POST ${PREFIX}/ready`, HOST, '{}')
    expect(answer.status).toBe(502)
    expect(JSON.parse(answer.body)).toMatchObject({ code: 2, message: expect.stringContaining('it may have acted') })
    expect(log).toHaveLength(1)
    expect(taken).toBe(1)
    expect((await ask(port, `POST ${PREFIX}/ready`, HOST, '{}')).status).toBe(502)
  })

  test('breaks off in the middle of its answer breaks off the answer to the client', async () => {
    const sidecar = await startRawSidecar((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":', () => socket.resetAndDestroy())
      })
    })
    const { url, log } = await startGateway({ sidecar })
    const response = await fetch(`${url}${PREFIX}/gameserver`)
    await expect(response.text()).rejects.toThrow()
    expect(log).toEqual([expect.stringMatching('^502 GET .*broke off')])
  })

  test('does not answer in time is given up with 504', async () => {
    const { port, log, sidecar } = await startForwarding(() => undefined, { timeout: 200 })
    const ended = new Promise<void>((resolve) => {
      sidecar.server.once('connection', (socket: Socket) => socket.once('close', () => resolve()))
    })
    const answer = await ask(port, `POST ${PREFIX}/ready`, HOST, '{}')
    expect(answer.status).toBe(504)
    expect(JSON.parse(answer.body)).toEqual({
      code: 4,
      message: `The sidecar at ${new URL(sidecar.url).host} did not answer within 200 ms; it may have acted`,
      details: [],
    })
    expect(log).toHaveLength(1)
    await ended
  })

  test('stops in the middle of its answer is given up after the timeout', async () => {
    const { url } = await startForwarding((_message, reply) => void reply.write('{'), { timeout: 200 })
    const response = await fetch(`${url}${PREFIX}/gameserver`)
    await expect(response.text()).rejects.toThrow()
  })
})
