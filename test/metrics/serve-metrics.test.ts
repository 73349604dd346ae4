import { describe, expect, onTestFinished, test } from 'vitest'
import { PRIVATE_NETWORKS } from '../../src/host/host-metrics.js'
import { createNetworks } from '../../src/protocol/networks.js'
import { serveMetrics } from '../../src/deploy/metrics.js'
import { ask, dial } from '../support/wire.js'

async function start(from: readonly string[] = PRIVATE_NETWORKS): Promise<{ port: number; scrapes: () => number }> {
  let scrapes = 0
  const server = await serveMetrics({
    port: 0,
    address: '127.0.0.1',
    from,
    collect: () => [['counter', 'x', 'h', [[(scrapes += 1)]]]],
    onFault: (error) => {
      throw error
    },
  })
  onTestFinished(() => server.close())
  return { port: Number(new URL(server.url).port), scrapes: () => scrapes }
}

describe('the port for a Prometheus', () => {
  test('answers a scrape by the address of the server, in the text format', async () => {
    const { port } = await start()
    const answer = await ask(port, 'GET /metrics', ['Host: 10.0.0.7:9090'])
    expect(answer).toMatchObject({
      status: 200,
      body: '# HELP gameserver_x h\n# TYPE gameserver_x counter\ngameserver_x 1\n',
    })
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  })

  test.each([
    ['under a name that may have been re-bound', 403, 'GET /metrics', ['Host: evil.example']],
    ['by a page of another origin', 403, 'GET /metrics', ['Host: 127.0.0.1', 'Origin: http://evil.example']],
    ['started by another page', 403, 'GET /metrics', ['Host: 127.0.0.1', 'Sec-Fetch-Site: cross-site']],
    ['at another path', 404, 'GET /', ['Host: 127.0.0.1']],
    ['that would change something', 405, 'POST /metrics', ['Host: 127.0.0.1']],
    ['without a host', 400, 'GET /metrics', []],
  ])('refuses a request %s', async (_what, status, line, headers) => {
    const { port, scrapes } = await start()
    expect((await ask(port, line, headers)).status).toBe(status)
    expect(scrapes()).toBe(0)
  })

  test('gives nothing to a connection from outside of the given networks', async () => {
    const { port, scrapes } = await start(['10.0.0.0/8'])
    const wire = await dial(port, 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    expect([await wire.ended, scrapes()]).toEqual(['', 0])
  })

  test('networks hold the addresses of peers, also IPv4 ones mapped into IPv6', () => {
    const isPrivate = createNetworks(PRIVATE_NETWORKS)
    const peers = ['::ffff:10.1.2.3', '127.0.0.1', '::1', 'fd00::1', '172.31.0.1', '100.64.0.1']
    expect(peers.filter((peer) => !isPrivate(peer))).toEqual([])
    expect(['8.8.8.8', '172.32.0.1', '::ffff:8.8.8.8', '2001:db8::1', ''].filter(isPrivate)).toEqual([])
    expect(createNetworks(['10.1.2.3'])('10.1.2.4')).toBe(false)
  })
})
