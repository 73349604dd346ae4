import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { expect, test } from 'vitest'
import { describeUnless } from '../support/describe-unless.js'
import { freePort } from '../support/free-port.js'
import { missing, openTls, startBackend, startEdge, statusOf } from './edge-support.js'

const UPGRADE = 'Host: play.example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'

/** Targets, `P` is the port of game servers, `Q` one outside of the range. Servers listen on both. */
const refusedTargets = (P: number, Q: number): (readonly [what: string, target: string, status?: number])[] => [
  ['no address', '/'],
  ['no port', '/127.0.0.1/'],
  ['no slash after the port', `/127.0.0.1/${P}`],
  ['a query right after the port', `/127.0.0.1/${P}?a=1`],
  ['an address outside of the network', `/127.1.0.1/${P}/`],
  ['a port outside of the range', `/127.0.0.1/${Q}/`],
  ['a port above 65535', '/127.0.0.1/65536/'],
  ['a port that wraps at 16 bits', `/127.0.0.1/${P + 65_536}/`],
  ['a port with a leading zero', `/127.0.0.1/0${P}/`],
  ['a port with a sign', `/127.0.0.1/+${P}/`],
  ['a port in hexadecimal', `/127.0.0.1/0x${P.toString(16)}/`],
  ['a port with more digits', `/127.0.0.1/${P}1/`],
  ['two ports', `/127.0.0.1/${P}:${Q}/`],
  ['a name', `/localhost/${P}/`],
  ['a name that ends with an address', `/x.127.0.0.1/${P}/`],
  ['an address that ends with a name', `/127.0.0.1.example.com/${P}/`],
  ['an address with a dot at the end', `/127.0.0.1./${P}/`],
  ['an address as one number', `/2130706433/${P}/`],
  ['a number with leading zeros', `/127.000.0.01/${P}/`],
  ['an address of two numbers', `/127.1/${P}/`],
  ['an IPv6 address', `/[::1]/${P}/`],
  ['an IPv4 address mapped into IPv6', `/[::ffff:127.0.0.1]/${P}/`],
  ['a user before the address', `/user@127.0.0.1/${P}/`],
  ['the address as a user', `/127.0.0.1@127.1.0.1/${P}/`],
  ['an escaped dot', `/127%2e0.0.1/${P}/`],
  ['an escaped slash', `/127.0.0.1%2f${P}/`],
  ['an escaped slash after the port', `/127.0.0.1/${P}%2f`],
  ['a NUL', `/127.0.0.1%00/${P}/`, 400],
  ['a line end', `/127.0.0.1/${P}%0d%0a/`],
  ['two slashes before the address', `//127.0.0.1/${P}/`],
  ['two slashes before the port', `/127.0.0.1//${P}/`],
  ['a backslash', `/127.0.0.1\\${P}/`],
  ['a dot before the address', `/./127.0.0.1/${P}/`],
  ['dots that lead back to the address', `/x/../127.0.0.1/${P}/`],
  ['dots after the port', `/127.0.0.1/${P}/../../127.1.0.1/${P}/`],
  ['escaped dots after the port', `/127.0.0.1/${P}/a/%2e%2E/b`],
  ['dots before a query', `/127.0.0.1/${P}/a/..?b`],
  ['dots at the end', `/127.0.0.1/${P}/a/..`],
  ['dots above the root', `/../127.0.0.1/${P}/`, 400],
  ['a fragment', `/127.0.0.1/${P}/#/`],
  ['a space', `/127.0.0.1 /${P}/`, 400],
  ['an absolute form', `https://play.example.com/127.0.0.1/${P}/`],
  ['a dot in overlong UTF-8', `/127\xc0\xae0.0.1/${P}/`],
  ['an authority', `127.0.0.1:${P}`, 400],
]

/** Whole heads that must reach nothing, although they hold the right target. */
const refusedHeads = (P: number, T = `/127.0.0.1/${P}/`): (readonly [what: string, head: string, status: number])[] => [
  ['no upgrade', `GET ${T} HTTP/1.1\r\nHost: x\r\n\r\n`, 404],
  ['an upgrade to another protocol', `GET ${T} HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\r\n`, 404],
  ['several protocols', `GET ${T} HTTP/1.1\r\nHost: x\r\nUpgrade: h2c, websocket\r\n\r\n`, 404],
  ['a target within Upgrade', `GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket GET ${T} HTTP/1.1\r\n\r\n`, 404],
  ['POST', `POST ${T} HTTP/1.1\r\n${UPGRADE}\r\n`, 404],
  ['a method in lower case', `get ${T} HTTP/1.1\r\n${UPGRADE}\r\n`, 400],
  ['CONNECT', `CONNECT 127.0.0.1:${P} HTTP/1.1\r\n${UPGRADE}\r\n`, 400],
  ['HTTP/1.0', `GET ${T} HTTP/1.0\r\n${UPGRADE}\r\n`, 404],
  ['a later version', `GET ${T} HTTP/1.10\r\n${UPGRADE}\r\n`, 404],
  ['no Host', `GET ${T} HTTP/1.1\r\nUpgrade: websocket\r\n\r\n`, 400],
  ['two Hosts', `GET ${T} HTTP/1.1\r\nHost: 127.1.0.1:${P}\r\n${UPGRADE}\r\n`, 400],
  ['a Host that names another server', `GET / HTTP/1.1\r\nHost: 127.0.0.1:${P}\r\nUpgrade: websocket\r\n\r\n`, 404],
  ['a forwarded target', `GET / HTTP/1.1\r\nX-Original-URL: ${T}\r\n${UPGRADE}\r\n`, 404],
  ['a body', `GET ${T} HTTP/1.1\r\nContent-Length: 9\r\n${UPGRADE}\r\nGET /x HT`, 413],
  [
    'two lengths',
    `GET ${T} HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n${UPGRADE}\r\n0\r\n\r\n`,
    400,
  ],
  ['a preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
]

describeUnless(missing, 'the route of the edge', () => {
  test('leads to no server by any other spelling, method or header than the one that is documented', async () => {
    const [port, outside] = [await freePort(), await freePort()]
    const edge = await startEdge(['127.0.0.0/24'], [port, port])
    const hosts = ['127.0.0.1', '127.1.0.1']
    const reached = await Promise.all(hosts.flatMap((host) => [startBackend(host, port), startBackend(host, outside)]))
    const heads = refusedTargets(port, outside).map(
      ([what, target, status = 404]) => [what, `GET ${target} HTTP/1.1\r\n${UPGRADE}\r\n`, status] as const,
    )
    for (const [what, head, status] of [...heads, ...refusedHeads(port)])
      expect.soft(await statusOf(edge.port, head), `${what}: ${head.split('\r\n')[0]}`).toBe(status)
    expect(reached).toEqual([[], [], [], []])
    expect((await openTls(edge.port, ['h2', 'http/1.1'])).alpnProtocol).not.toBe('h2')
  })

  test('lets any page measure how far away the edge is, by /healthz alone', async () => {
    const port = await freePort()
    const edge = await startEdge(['127.0.0.0/24'], [port, port])
    const headersOf = async (path: string): Promise<unknown[]> => {
      const outgoing = request({ port: edge.port, path, rejectUnauthorized: false, agent: false }).end()
      const [{ statusCode, headers }] = (await once(outgoing, 'response')) as [IncomingMessage]
      return [statusCode, headers['access-control-allow-origin'], headers['timing-allow-origin']]
    }
    expect(await headersOf('/healthz')).toEqual([200, '*', '*'])
    expect(await headersOf('/')).toEqual([404, undefined, undefined])
  })
})
