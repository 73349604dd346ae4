import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { createScriptedSidecar, type Rule, type ScriptedSidecar } from '../support/fault-server.js'
import * as steps from '../support/fault-server-steps.js'

let sidecar: ScriptedSidecar
const start = async (...rules: Rule[]): Promise<ScriptedSidecar> => (sidecar = await createScriptedSidecar(rules))
afterEach(() => sidecar.close())

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

describe('the script of a fault server', () => {
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

  test('reports its failure at close', async () => {
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
