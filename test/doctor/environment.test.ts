import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { faulty, find, json, NOBODY } from './support.js'
import { gameServer } from '../support/fault-server-game-servers.js'

const AT_9 = { url: NOBODY }

describe('each mistake in the environment is found', () => {
  const rows: readonly (readonly [id: string, env: Record<string, string>, status: string, text: RegExp])[] = [
    ['port-variable', {}, 'warning', /^AGONES_SDK_HTTP_PORT is not set/],
    ['port-variable', { AGONES_SDK_HTTP_PORT: '93a' }, 'failure', /must be a port from 1 to 65535; got "93a"/],
    ['port-variable', { AGONES_SDK_HTTP_PORT: '0' }, 'failure', /must be a port/],
    ['port-variable', { AGONES_SDK_HTTP_PORT: '9' }, 'ok', /is 9$/],
    ['same-port', { AGONES_SDK_HTTP_PORT: '9358' }, 'warning', /asks port 9, .* connects to 9358/],
    ['same-port', { AGONES_SDK_HTTP_PORT: '9' }, 'ok', /same port/],
    ['grpc-port', { AGONES_SDK_GRPC_PORT: '9' }, 'failure', /is that of gRPC/],
    ['grpc-port', { AGONES_SDK_GRPC_PORT: '9357' }, 'ok', /9357/],
    ['host-variable', { AGONES_SDK_HTTP_HOST: '10.0.0.1' }, 'warning', /not this machine/],
    ['host-variable', { AGONES_SDK_HTTP_HOST: '127.0.0.1' }, 'ok', /is 127/],
    ['proxy', { https_proxy: 'http://p:1' }, 'warning', /NO_PROXY doesn't name 127\.0\.0\.1/],
    ['proxy', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'localhost, 127.0.0.1' }, 'ok', /leaves 127\.0\.0\.1 out/],
    ['container', { CODESPACES: 'true' }, 'warning', /a dev container, whose localhost is its own/],
    ['container', { WSL_DISTRO_NAME: 'Debian' }, 'warning', /runs in WSL/],
  ]
  test.each(rows)('%s with %o: %s', async (id, env, status, text) => {
    const finding = await find(id, { ...AT_9, env })
    expect(finding).toMatchObject({ status })
    expect(finding.text).toMatch(text)
  })

  test('a clock that differs from the sidecar’s', async () => {
    const url = await faulty({
      'GET /gameserver': (request, response) => {
        response.setHeader('date', new Date(Date.now() - 60_000).toUTCString())
        json(200, gameServer(1))(request, response)
      },
    })
    const finding = await find('clock', { url })
    expect(finding).toMatchObject({ status: 'warning' })
    expect(finding.text).toMatch(/^this machine's clock is 6\d s ahead of the sidecar's/)
    expect(await find('clock', { url: await faulty() })).toMatchObject({ status: 'ok' })
  })

  test('another program on the IPv6 address of the same port', async () => {
    const url = await faulty()
    const { port } = new URL(url)
    expect(await find('tcp-ipv6', { url })).toMatchObject({ status: 'ok' })
    const other = createServer((socket) => void socket.end()).listen(Number(port), '::1')
    onTestFinished(() => void other.close())
    const listens = await once(other, 'listening').then(
      () => true,
      () => false,
    )
    // A machine without IPv6 can't have the mistake.
    if (listens) expect(await find('tcp-ipv6', { url })).toMatchObject({ status: 'warning' })
    expect((other.address() as AddressInfo | null)?.port ?? Number(port)).toBe(Number(port))
  })
})
