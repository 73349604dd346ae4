import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { dial, head, readAnswers } from '../attacks/support/wire.js'
import { websocketHeaders } from '../node/support.js'
import { PREFIX, startFakeSidecar, startGateway } from './support.js'

const CALL = head(`POST ${PREFIX}/ready`, 'Host: localhost', 'Content-Length: 0')

/** A sidecar that answers when it is told. */
async function startSlow() {
  const held: (() => void)[] = []
  const ended: string[] = []
  const sidecar = await startFakeSidecar((message, reply) => {
    if (message.url === '/watch/gameserver') reply.write('{"result":{}}\n')
    else held.push(() => void reply.end('{}'))
    reply.once('close', () => void ended.push(message.url!))
  })
  return { url: sidecar.url, held, ended }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(5)
}

describe('a client that closes its half of the connection behind its requests', () => {
  test('gets all their answers, and then the end', async () => {
    const { url, held } = await startSlow()
    const { port } = await startGateway({ sidecar: url })
    const wire = await dial(port)
    wire.socket.end(CALL + CALL)
    await until(() => held.length === 1)
    held[0]!()
    await until(() => held.length === 2)
    held[1]!()
    const statuses = readAnswers(await wire.ended).map(({ status }) => status)
    // On a busy machine one may take so long that the gateway says in between that it is at it.
    expect(statuses.filter((status) => status !== 102)).toEqual([200, 200])
  })

  test('gets an answer that takes long', async () => {
    const { url, held } = await startSlow()
    const { port } = await startGateway({ sidecar: url })
    const wire = await dial(port)
    wire.socket.end(CALL)
    await until(() => held.length === 1)
    // So much later that a client that has left would have been noticed.
    await delay(1_500)
    held[0]!()
    const statuses = readAnswers(await wire.ended).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 102)).toEqual([200])
  })
})

describe('a client that leaves', () => {
  test.each(['closes', 'resets'])('without its answer and %s is noticed, and the call ends', async (how) => {
    const { url, held, ended } = await startSlow()
    const { port } = await startGateway({ sidecar: url })
    const { socket } = await dial(port, CALL)
    await until(() => held.length === 1)
    if (how === 'closes') socket.destroy()
    else socket.resetAndDestroy()
    await until(() => ended.length === 1)
  })

  test.each([
    ['stream', []],
    ['WebSocket', websocketHeaders],
  ])('its watch by %s is noticed, also if it only closes its half', async (kind, headers) => {
    const { url, ended } = await startSlow()
    const { port } = await startGateway({ sidecar: url })
    const wire = await dial(port, head(`GET ${PREFIX}/watch/gameserver`, 'Host: localhost', ...headers))
    if (kind === 'stream') await wire.saw(/result/)
    wire.socket.end()
    await wire.ended
    if (kind === 'stream') await until(() => ended.length === 1)
  })
})
