import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { converse } from '../node/support.js'
import { dial } from '../support/wire.js'
import { selfSigned } from './certificate.js'
import { sitePath } from './static-support.js'
import { PREFIX, startGateway, type TestGateway } from './support.js'
import { openWebSocket } from './watches.js'

const { cert, key } = selfSigned()

const start = async (options = {}): Promise<TestGateway> =>
  startGateway({ local: { mode: 'local' }, dir: await sitePath(), cert, key, ...options })

/** One request by TLS, whose certificate is checked. */
async function ask(
  port: number,
  line: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<[number, string]> {
  const [method, path] = line.split(' ') as [string, string]
  const place = { port, host: '127.0.0.1', servername: 'localhost', ca: cert, agent: false } as const
  const outgoing = httpsRequest({ ...place, method, path, headers })
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return [response.statusCode!, text]
}

describe('over HTTPS', () => {
  test('pages, calls and both kinds of watch are served', async () => {
    const gateway = await start()
    const { url, port } = gateway
    expect(url).toMatch(/^https:/)
    expect((await ask(port, 'GET /'))[1]).toContain('<script src="/_/config.js">')
    expect(await ask(port, `POST ${PREFIX}/allocate`, { origin: url }, '{}')).toEqual([200, '{}'])
    const { frame, ended } = converse(`${url}${PREFIX}/watch/gameserver`, { ca: cert, origin: url })
    expect(JSON.parse(await frame(0)).result.status.state).toBe('Allocated')
    const stream = ask(port, `GET ${PREFIX}/watch/gameserver`)
    expect(JSON.parse((await ask(port, `GET ${PREFIX}/gameserver`))[1]).status.state).toBe('Allocated')
    await gateway.close('SIGTERM')
    expect(await ended).toBe(1001)
    expect((await stream)[1]).toContain('The gateway is stopping (SIGTERM)')
  })

  test('its own origin is https, and http for it is a stranger', async () => {
    const { url, port } = await start()
    const status = async (origin: string): Promise<number> =>
      (await ask(port, `POST ${PREFIX}/ready`, { origin }, '{}'))[0]
    expect(await status(url)).toBe(200)
    expect(await status(url.replace('https', 'http'))).toBe(403)
    expect(await status('https://evil.example')).toBe(403)
    expect((await ask(port, `GET ${PREFIX}/gameserver`, { host: 'evil.example' }))[0]).toBe(403)
  })

  test("the token's cookie is only for TLS, and the address stays https", async () => {
    const { port, token } = await start({ token: true })
    const socket = connectTls({ port, host: '127.0.0.1', ca: cert })
    socket.write(`GET /?token=${token} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    expect(answer).toMatch(/set-cookie: [^\r]*; Secure\r\n/i)
    expect(answer).toMatch(/location: \/\r\n/i)
  })

  test('what is no TLS ends, and the server lives', async () => {
    const { port, warnings } = await start()
    expect(await (await dial(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')).ended).not.toContain('HTTP')
    expect(await (await dial(port, '\x16\x03\x01\xff\xff garbage')).ended).not.toContain('HTTP')
    const malformed = connectTls({ port, host: '127.0.0.1', ca: cert })
    malformed.write('garbage\r\n\r\n')
    let answer = ''
    for await (const chunk of malformed) answer += String(chunk)
    expect(answer).toContain('HTTP/1.1 400 Bad Request')
    expect((await ask(port, `GET ${PREFIX}/gameserver`))[0]).toBe(200)
    expect(warnings).toEqual([])
  })
})

/** Seconds after which the kernel asks a silent other end whether it is there; nothing where it doesn't. */
function askedAfter(port: number, otherPort: number): number | undefined {
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(4, '0')
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const own = rows.find(
    ([, local, remote]) => local?.endsWith(`:${hex(port)}`) && remote?.endsWith(`:${hex(otherPort)}`),
  )
  const [timer, due = ''] = own?.[5]?.split(':') ?? []
  // 2 is the timer for that, of hundredths of a second in all of Linux's tables.
  return timer === '02' ? parseInt(due, 16) / 100 : undefined
}

test.skipIf(process.platform !== 'linux')('a silent watcher is asked whether it is still there', async () => {
  const { port } = await start()
  const socket = connectTls({ port, host: '127.0.0.1', ca: cert })
  onTestFinished(() => void socket.destroy())
  socket.write(openWebSocket)
  await once(socket, 'data')
  const { port: own } = socket.address() as AddressInfo
  // Until what was sent has been acknowledged, there is another one.
  await expect.poll(() => askedAfter(port, own)).toBeLessThan(31)
})
