import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { createScriptedSidecar, type Rule, type ScriptedSidecar } from '../support/fault-server.js'
import { closeFrame, frame } from '../support/fault-server-frames.js'
import * as steps from '../support/fault-server-steps.js'

let sidecar: ScriptedSidecar
const start = async (...rules: Rule[]): Promise<ScriptedSidecar> => (sidecar = await createScriptedSidecar(rules))
afterEach(() => sidecar.close())

const watchUrl = (): string => `${sidecar.url}/watch/gameserver`
const dialRaw = async (): Promise<Socket> => {
  const socket = connect(sidecar.port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}
const everything = async (socket: Socket): Promise<string> => {
  let text = ''
  for await (const bytes of socket) text += String(bytes)
  return text
}

describe('a script', () => {
  test('can reset at accept, after a head, and after any byte', async () => {
    await start({ on: 'connection', nth: 1, accept: (connection) => connection.reset() })
    await expect(fetch(`${sidecar.url}/gameserver`)).rejects.toThrow()
    sidecar.play([{ on: 'GET /gameserver', step: steps.cutAfter(20, 'finish', steps.answering({ body: '{}' })) }])
    const socket = await dialRaw()
    socket.write('GET /gameserver HTTP/1.1\r\n\r\n')
    expect(await everything(socket)).toBe('HTTP/1.1 200 OK\r\ncon')
    sidecar.play([{ on: 'GET /gameserver', step: steps.breaking('reset') }])
    const second = await dialRaw()
    second.write('GET /gameserver HTTP/1.1\r\n\r\n')
    await expect(everything(second)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  test('can send every byte in a segment of its own', async () => {
    await start({ on: 'GET /gameserver', step: steps.byteByByte(steps.answering({ body: '"é"' })) })
    const socket = await dialRaw()
    let pieces = 0
    socket.on('data', () => pieces++)
    socket.write('GET /gameserver HTTP/1.1\r\n\r\n')
    await once(socket, 'close')
    expect(pieces).toBeGreaterThan(50)
  })

  test('can swallow a connection, and still knows when the client has left it', async () => {
    await start({ on: 'connection', accept: steps.deafAndDumb })
    const socket = await dialRaw()
    socket.write('GET /gameserver HTTP/1.1\r\n\r\n')
    await sidecar.until(() => sidecar.openSockets === 1, 'the dial')
    socket.destroy()
    await sidecar.untilNoSockets()
    expect(sidecar.requests).toEqual([])
  })

  test('its failure is told at close', async () => {
    const failing = await createScriptedSidecar([
      {
        on: '*',
        step: async (exchange) => {
          await exchange.reply()
          throw new Error('a mistake in the script')
        },
      },
    ])
    await fetch(`${failing.url}/gameserver`)
    await expect(failing.close()).rejects.toThrow('a mistake in the script')
    await start()
  })
})

describe('frames made by hand', () => {
  test.each([
    ['a masked frame', frame('x', { mask: true }), 'MASK must be clear'],
    ['bad UTF-8', frame(Uint8Array.of(0xff)), 'invalid UTF-8 sequence'],
    ['a bad close code', closeFrame(1005), 'invalid status code 1005'],
    ['a claimed length beyond all bounds', frame('', { claimedLength: 1n << 60n }), 'unsupported'],
  ])('%s is refused by a good receiver', async (_name, bytes, complaint) => {
    await start({ on: 'watch', step: steps.opened((exchange) => exchange.sendBytes(bytes)) })
    const socket = new WebSocket(watchUrl())
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error.message.toLowerCase()).toContain(complaint.toLowerCase())
    socket.terminate()
  })
})
